"""Files with the texts of a program in the languages of its users: data, the first language as well.

Add: endings, folders and names that translations alone have. Keep out: other data (`names`, `machine_text.content`).
"""

import re
from functools import lru_cache
from typing import Final

# Codes of ISO 639 that repositories use. Not `go`, `js` or `py`: beside them stand names of programming languages.
_CODES: Final = (
    "af am ar as az be bg bn br bs ca cs cy da de el en eo es et eu fa fi fil fo fr fy ga"
    " gd gl gu ha he hi hr hu hy ia id ig is it ja jv ka kk km kn ko ku ky lb lo lt lv mg"
    " mi mk ml mn mr ms mt my nb ne nl nn no oc or pa pl pt ro ru rw sd si sk sl sq sr sv"
    " sw ta te th tk tl tr tt ug uk ur uz vi wo xh yi yo yue zh zu ast ckb kab hsb szl dsb"
)
# Where a folder or a word says that texts are meant, names of languages do as well.
_NAMES: Final = (
    "arabic bulgarian catalan chinese croatian czech danish dutch english estonian finnish french german greek hebrew"
    " hindi hungarian indonesian italian japanese korean latvian lithuanian norwegian persian polish portuguese"
    " romanian russian serbian slovak slovenian spanish swedish thai turkish ukrainian vietnamese"
)
_REGION: Final = r"(?:[-_](?:r?[A-Z]{2}|[A-Z][a-z]{3}(?:[-_][A-Z]{2})?|[0-9]{3}|[a-z]{2}))?"
_LANGUAGE: Final = rf"(?:(?:{'|'.join(_CODES.split())}){_REGION})"
_NAMED: Final = rf"(?:{_LANGUAGE}|(?i:{'|'.join(_NAMES.split())}))"
_QUALIFIERS: Final = (
    r"(?!(?:night|land|port|car|desk|long|ldltr|ldrtl|v[0-9]|h[0-9]|w[0-9]|sw[0-9]|[a-z]*dpi)\b)"
)
# Where the name of a folder or file leaves no doubt, any code is a language, also the first ones that Java kept for
# Indonesian, Hebrew and Yiddish (`in`, `iw`, `ji`).
_ANY_CODE: Final = rf"(?:{_LANGUAGE}|[a-z]{{2,3}}{_REGION})"
_FIRST_CODES: Final = r"(?:(?:in|iw|ji)[-_][A-Z]{2})"
# Stores of programs show the texts of a release in each language. The English ones are the people's own documents.
_STORES: Final = r"(?:changelogs?|descriptions?|listings?|metadata(?:/android)?|release[-_]notes|whatsnew)"
_NOT_ENGLISH: Final = r"(?!en\b|en[-_])"
_FOLDERS: Final = r"(?:i18n|l10n|locales?|lang|langs|languages?|translations?|nls|intl|_locales|localization)"
_FORMATS: Final = r"(?:json5?|ya?ml|php|[cm]?js|ts|toml|properties|ini|ftl|dtd|lang|xml)"
_WORDS: Final = r"(?:messages?|strings?|translations?|lang|locales?|i18n|l10n|labels?|texts?)"
_TRANSLATIONS: Final = re.compile(
    r"\.(?:po|pot|xlf|xliff|arb|tmx|strings|stringsdict|xcstrings|xtb|resx|resw|wxl|isl|lng)$"
    r"|\.(?:l10n\.php|i18n\.json|nls(?:\.[\w-]+)?\.json)$"
    # Android and what follows it
    rf"|(?:^|/)(?:[\w-]+[Rr]esources|res|resources)/values-(?:{_QUALIFIERS}{_ANY_CODE}|b\+[\w+]+)/[^/]+\.xml$"
    r"|(?:^|/)(?:[\w-]+[Rr]esources|res|resources)/values/strings[^/]*\.xml$"
    rf"|_(?:{_LANGUAGE}|{_FIRST_CODES})\.properties$"
    rf"|(?:^|/)(?:[Mm]essages|[Ss]trings|[A-Za-z]*Bundle)(?:_{_ANY_CODE})?\.properties$"
    rf"|(?:^|/)(?:[\w-]+[._-])?{_WORDS}[._-]{_LANGUAGE}\.{_FORMATS}$"
    rf"|(?:^|/){_FOLDERS}/(?:[^/]+/)*?"
    rf"(?:(?:[\w+.-]+[._-])?{_NAMED}\.{_FORMATS}|{_NAMED}/(?:[^/]+/)*[^/]+\.{_FORMATS})$"
    rf"|(?:^|/)messages/{_LANGUAGE}(?:/[^/]+)?\.(?:json|ya?ml)$"
    rf"|(?:^|/){_LANGUAGE}\.lproj/[^/]+$"
    rf"|(?:^|/){_STORES}/{_NOT_ENGLISH}{_LANGUAGE}(?:\.(?:md|txt|html)|/(?:[^/]+/)*[^/]+\.(?:txt|html))$"
)


@lru_cache(maxsize=65_536)
def is_translation(path: str) -> bool:
    """Whether the path is one of a file of translations."""
    return _TRANSLATIONS.search(path) is not None
