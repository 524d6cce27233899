"""Files as a tool writes them once, before anybody edits them: each line has to be one that the tool writes.

Add: a small file of which all lines, or all imports and definitions, are known. Keep out: words that alone say that a
tool wrote the first version (`scaffolds`), and files larger than the head of a file that is read (`MARK_BYTES`).
"""

import re
from typing import Final, NamedTuple


class _FirstVersion(NamedTuple):
    """A file that a tool writes: its path, words in it, its size and its parts.

    Each match of `part` has to match `known` as a whole: the file has no other line, import or definition.
    """

    path: re.Pattern[str]
    words: re.Pattern[bytes]
    most_bytes: int
    """A little above the largest one that a tool writes, below `MARK_BYTES`."""
    part: re.Pattern[bytes]
    known: re.Pattern[bytes]


_LINE: Final = re.compile(rb"\S(?:[^\n]*\S)?")
_LINES_OF_RAILS: Final = (
    rb"end|else|private|respond_to do \|format\||if @\w+\.(?:save|update(?:_attributes)?\(\w+_params\))"
    rb"|# (?:GET|POST|PATCH/PUT|PATCH|PUT|DELETE) /[\w/.: ]+|# (?:Use callbacks to share|Never trust param"
    rb"|Only allow a )[^\n]+"
    rb"|class [\w:]+Controller < [\w:]+|before_(?:action|filter) :set_\w+, only: [\[%][\w:, \[\]]+"
    rb"|def (?:index|show|new|edit|create|update|destroy|set_\w+|\w+_params)"
    rb"|@\w+ = [A-Z][\w:]*\.(?:all|new|new\(\w+_params\)|find\(params(?:\[:id\]|\.expect\(:id\))\))|@\w+\.destroy!?"
    rb"|params\.(?:require\(:\w+\)\.permit\([\w:, ]*\)|fetch\(:\w+, \{\}\)|expect\(\w+: \[[\w:, ]*\]\)|\[:\w+\])"
    rb"|(?:format\.(?:html|json) \{ )?(?:redirect_to [\w@()]+(?:, (?:status: :see_other|"
    rb"notice: ['\"][\w ]+ was successfully (?:created|updated|destroyed)\.['\"]))*"
    rb"|render (?:action: )?:?['\"]?(?:new|edit|show)['\"]?(?:, status: :\w+(?:, location: @\w+)?)?"
    rb"|render json: @\w+\.errors, status: :\w+|head :no_content)(?: \})?"
    rb"|format\.html|format\.json"
)
_LINES_OF_RAILS_TESTS: Final = (
    rb"end|require ['\"]test_helper['\"]|class [\w:]+ControllerTest < Action(?:Controller::TestCase"
    rb"|Dispatch::IntegrationTest)"
    rb"|setup do|@\w+ = \w+\(:one\)|test ['\"]should (?:get (?:index|new|edit)|(?:create|show|update"
    rb"|destroy) \w+)['\"] do"
    rb"|(?:get|post|patch|put|delete) (?::\w+|\w+_url(?:\(@\w+\))?)"
    rb"(?:, (?:\w+:|@\w+(?:\.\w+)?|[{}, ])*)?"
    rb"|assert_response :success|assert_not_nil assigns\(:\w+\)|assert_difference\(['\"]\w+\.count['\"](?:, -1)?\) do"
    rb"|assert_redirected_to (?:\w+_(?:path|url)(?:\((?:@\w+|assigns\(:\w+\)|[A-Z]\w+\.last)\))?)"
)
_LINES_OF_ANGULAR: Final = (
    rb"import \{[\w, ]+\} from '[@\w./-]+';|describe\('\w+', \(\) => \{|let (?:component|service|fixture): [\w<>]+;"
    rb"|beforeEach\((?:waitForAsync\()?(?:async ?)?\(?\(\) => \{"
    rb"|(?:await )?TestBed\.configureTestingModule\(\{(?:\}\);)?"
    rb"|(?:declarations|imports|providers): \[ ?\w* ?\],?|\.compileComponents\(\);|\}\)+;?"
    rb"|\}\)(?:\)|\.compileComponents\(\))?;|fixture = TestBed\.createComponent\(\w+\);"
    rb"|component = fixture\.componentInstance;"
    rb"|fixture\.detectChanges\(\);|service = TestBed\.(?:get|inject)\(\w+\);"
    rb"|it\('should (?:be created|create)', \(\) => \{|expect\((?:component|service)\)\.toBeTruthy\(\);"
)
_LINES_OF_DOTNET: Final = (
    rb"[{}]+;?|\};?|\]|using [\w.]+;|namespace [\w.]+;?|// (?:GET|POST|PUT|DELETE) api/values[\w/]*"
    rb"|\[(?:ApiController|Route\(\"[^\"\n]*\"\)|Http\w+(?:\([^\n()]*\))?)\]"
    rb"|public class (?:WeatherForecast|Values|SampleData)\w* ?(?:: (?:Api)?Controller(?:Base)?)?"
    rb"|private static (?:readonly )?string\[\] Summaries = ?(?:new\[\]|\[)?|(?:\"[A-Z][a-z]+\",? ?){2,}"
    rb"|private readonly ILogger<WeatherForecastController> _logger;|_logger = logger;"
    rb"|public WeatherForecastController\(ILogger<WeatherForecastController> logger\)"
    rb"|public (?:IEnumerable<WeatherForecast> (?:Get|WeatherForecasts)"
    rb"|Task<WeatherForecast\[\]> GetForecastAsync)\([\w ]*\)"
    rb"|var rng = new Random\(\);"
    rb"|return (?:Task\.FromResult\()?Enumerable\.Range\(1, 5\)\.Select\(index => new WeatherForecast"
    rb"|(?:Date|DateFormatted|TemperatureC|Summary) = (?:DateTime|DateOnly|startDate|rng|Random"
    rb"|Summaries)[\w.()\[\], \"-]*,?"
    rb"|\}\)|\}\)?\.ToArray\(\)\)?;|\.ToArray\(\);|public (?:string|int) (?:DateFormatted|TemperatureC"
    rb"|Summary) \{ get; set; \}"
    rb"|public int TemperatureF|get|return 32 \+ \(int\)\(TemperatureC / 0\.5556\);"
    rb"|public (?:(?:ActionResult<)?(?:IEnumerable<string>|string)>?|void) (?:Get|Post|Put|Delete)"
    rb"\((?:int id|\[FromBody\] ?string value|, )*\)"
    rb"|return (?:new string\[\] \{ \"value1\", \"value2\" \}|\"value\");"
)
_LINES_OF_PAGES: Final = (
    rb"</?(?:table|thead|tbody|tr|p|div)>|<br ?/?>|<% end %>|<(?:th|td)(?: colspan=\"\d\")?></(?:th|td)>|\||"
    rb"(?:<p (?:id=\"notice\"|style=\"color: green\")>|%p#notice= ?)(?:<%= )?notice(?: %></p>)?"
    rb"|(?:<h1>|%h1 )(?:Listing|New|Editing) [\w ]+(?:</h1>)?|<th>[\w ]+</th>|%th(?: [\w ]+)?|%(?:table|thead"
    rb"|tbody|tr|td|p|br)"
    rb"|(?:<% |- )@\w+\.each do \|\w+\|(?: %>)?|<td><%= \w+\.\w+ %></td>|%td= \w+\.\w+"
    rb"|(?:<(?:strong|b)>|%(?:strong|b) )[\w ]+:(?:</(?:strong|b)>)?|(?:<%)?= @\w+\.\w+(?: %>)?"
    rb"|(?:<%)?= render ['\"]form['\"](?:, \w+: @\w+)?(?: %>)?"
    rb"|(?:<td><%|%td|<%)?= link_to ['\"](?:Show|Edit|Destroy|Back|New [\w ]+)['\"], [\w@()]+"
    rb"(?:, (?:method: :delete, (?:data: \{ ?confirm: ?|confirm: )|:method => :delete, :data => \{ ?:confirm => )"
    rb"['\"]Are you sure\?['\"](?: ?\})?)?(?: %>(?:</td>| \|)?)?"
)
_IMPORT: Final = rb"(?m)^\s*import\b[^\n]*?['\"]([^'\"\n]*)['\"]"
_DEFINED: Final = (
    rb"|\bfunction\s+(\w+)|\bclass\s+(\w+)|\bconst\s+(\w+)\s*=|(\buse(?:State|Effect|Reducer)\()"
)


FILES: Final = (
    _FirstVersion(
        re.compile(r"(?:^|/)app/controllers/\S+_controller\.rb$"),
        re.compile(rb"\bwas successfully created\."),
        3_500,
        _LINE,
        re.compile(rb"(?:" + _LINES_OF_RAILS + rb")"),
    ),
    _FirstVersion(
        re.compile(r"_controller_test\.rb$"),
        re.compile(rb"test [\"']should get index[\"']"),
        2_500,
        _LINE,
        re.compile(rb"(?:" + _LINES_OF_RAILS_TESTS + rb")"),
    ),
    _FirstVersion(
        re.compile(r"\.spec\.ts$"),
        re.compile(rb"\bTestBed\b"),
        1_500,
        _LINE,
        re.compile(rb"(?:" + _LINES_OF_ANGULAR + rb")"),
    ),
    _FirstVersion(
        re.compile(r"(?:^|/)(?:WeatherForecast(?:Controller|Service)?|SampleDataController|ValuesController)\.cs$"),
        re.compile(rb"\"Freezing\", \"Bracing\", \"Chilly\"|new string\[\] \{ \"value1\", \"value2\" \}"),
        2_200,
        _LINE,
        re.compile(rb"(?:\xef\xbb\xbf)?(?:" + _LINES_OF_DOTNET + rb")"),
    ),
    _FirstVersion(
        re.compile(r"(?:^|/)App\.[jt]sx?$"),
        re.compile(
            rb"Edit <code>src/App\.[jt]sx?</code> and save to"
            rb"|Open up App\.[jt]sx? to start working on your app"
        ),
        1_100,
        re.compile(_IMPORT + rb"|\bfunction\s+(\w+)|\bclass\s+(\w+)|(?:\bconst\s+)([^=\n]+)="),
        re.compile(
            rb"react|react-native|expo-status-bar|(?:\./)?(?:logo\.svg|App\.css)|\./assets/react\.svg|/vite\.svg"
            rb"|App(?:: React\.FC)? ?|styles ?|\[count, setCount\] ?"
        ),
    ),
    _FirstVersion(
        re.compile(r"(?:^|/)App\.test\.[jt]sx?$"),
        re.compile(rb"'renders learn react link'"),
        400,
        re.compile(rb"\b(?:test|it|describe)\(['\"]([^'\"\n]*)"),
        re.compile(rb"renders learn react link"),
    ),
    _FirstVersion(
        re.compile(r"(?:^|/)HelloWorld\.vue$"),
        re.compile(rb"For a guide and recipes on how to configure / customize this project"),
        3_000,
        re.compile(rb"(?s:(<script.*?</script>))|(\bv-[a-z]+|@[a-z]+=)"),
        re.compile(
            rb"<script(?: lang=\"ts\")?>\s*(?:import [\w{}, ]{1,40} from ['\"]vue[\w-]*['\"];?\s|@Component"
            rb"|\s)*export default (?:\w+\.extend\(|defineComponent\()?"
            rb"(?:class HelloWorld extends Vue )?\{\s*(?:name: ['\"]HelloWorld['\"],\s*)?"
            rb"(?:props: \{\s*msg: String,?\s*\},?|@Prop\(\) private msg!: string;)\s*\}\)?;?\s*</script>"
        ),
    ),
    _FirstVersion(
        re.compile(r"(?:^|/)(?:pages/index|app/page)\.[jt]sx?$"),
        re.compile(rb"Find in-depth information about Next\.js features and API"),
        3_900,
        re.compile(_IMPORT + _DEFINED),
        re.compile(rb"next/\w+(?:/google)?|next|(?:@/|\.\./)styles/Home\.module\.css|\./page\.module\.css|Home|inter"),
    ),
    _FirstVersion(
        re.compile(r"(?:^|/)test/widget_test\.dart$"),
        re.compile(rb"'Counter increments smoke test'"),
        1_200,
        re.compile(rb"\b(?:test|testWidgets|group)\(\s*'([^'\n]*)"),
        re.compile(rb"Counter increments smoke test"),
    ),
    _FirstVersion(
        re.compile(r"(?:^|/)bin/www(?:\.[jt]s)?$"),
        re.compile(rb"Normalize a port into a number, string, or false"),
        1_800,
        re.compile(rb"\bfunction\s+(\w+)|\brequire\(['\"]([^'\"\n]*)|(=>)"),
        re.compile(rb"normalizePort|onError|onListening|\.\./app|debug|https?"),
    ),
)  # fmt: skip
PAGE: Final = _FirstVersion(
    re.compile(r"(?:^|/)app/views/(?:[^/]+/)+(?:index|show|new|edit)\.html\.(?:erb|haml)$"),
    re.compile(rb"link_to ['\"](?:Back|New [\w ]{1,60})['\"], \w+_path"),
    3_000,
    _LINE,
    re.compile(rb"(?:" + _LINES_OF_PAGES + rb")"),
)


def first_version(path: str, head: bytes) -> bytes | None:
    """Words of a new file that is as a tool wrote it; `head` are its first `MARK_BYTES`."""
    found = (_words_of(one, head) for one in FILES if one.path.search(path) is not None)
    return next((words for words in found if words is not None), None)


def first_page(path: str, head: bytes) -> bytes | None:
    """The same of a page of Rails, which is a template."""
    return _words_of(PAGE, head) if PAGE.path.search(path) is not None else None


def _words_of(one: _FirstVersion, head: bytes) -> bytes | None:
    text = head.replace(b"\r", b"")
    words = one.words.search(text) if len(head) <= one.most_bytes else None
    if words is None:
        return None
    parts = (match[match.lastindex or 0] for match in one.part.finditer(text))
    return words[0] if all(one.known.fullmatch(part) for part in parts) else None
