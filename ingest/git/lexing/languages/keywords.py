"""Keywords of the languages: the words that a line's shape keeps.

The lists are fixed here and not read from an installed interpreter: shapes must be the same on every machine.
"""

C = (
    "auto break case char const continue default do double else enum extern float for goto if inline"
    " int long register restrict return short signed sizeof static struct switch typedef union unsigned"
    " void volatile while bool NULL true false nullptr define include ifdef ifndef endif elif undef"
    " pragma error"
)
CPP = (
    C + " alignas alignof and asm catch class concept consteval constexpr constinit const_cast co_await"
    " co_return co_yield decltype delete dynamic_cast explicit export final friend module mutable"
    " namespace new noexcept not operator or override private protected public reinterpret_cast requires"
    " static_assert static_cast template this thread_local throw try typeid typename using virtual"
)
JAVA = (
    "abstract assert boolean break byte case catch char class const continue default do double else"
    " enum extends final finally float for goto if implements import instanceof int interface long"
    " native new null package permits private protected public record return sealed short static"
    " strictfp super switch synchronized this throw throws transient true false try var void volatile"
    " while yield"
)
JAVASCRIPT = (
    "async await break case catch class const continue debugger default delete do else export extends"
    " false finally for from function get if import in instanceof let new null of return set static"
    " super switch this throw true try typeof undefined var void while with yield"
)
TYPESCRIPT = (
    JAVASCRIPT
    + " abstract any as asserts bigint boolean declare enum implements infer interface is keyof namespace"
    " never number object override private protected public readonly satisfies string symbol type unique"
    " unknown"
)
KOTLIN = (
    "abstract actual as break by catch class companion const constructor continue crossinline data do"
    " else enum expect external false final finally for fun get if import in infix init inline inner"
    " interface internal is lateinit noinline null object open operator out override package private"
    " protected public reified return sealed set super suspend tailrec this throw true try typealias val"
    " value var vararg when where while"
)
GO = (
    "break case chan const continue default defer else fallthrough false for func go goto if import"
    " interface iota map nil package range return select struct switch true type var"
)
RUST = (
    "as async await break const continue crate dyn else enum extern false fn for if impl in let loop"
    " match mod move mut pub ref return self Self static struct super trait true type union unsafe use"
    " where while"
)
CSHARP = (
    "abstract as async await base bool break byte case catch char checked class const continue decimal"
    " default delegate do double else enum event explicit extern false finally fixed float for foreach"
    " get goto if implicit in init int interface internal is lock long nameof namespace new null object"
    " operator out override params partial private protected public readonly record ref required return"
    " sbyte sealed set short sizeof stackalloc static string struct switch this throw true try typeof"
    " uint ulong unchecked unsafe ushort using var virtual void volatile when where while with yield"
    " region endregion pragma"
)
SWIFT = (
    "actor any as associatedtype async await break case catch class continue convenience default defer"
    " deinit do dynamic else enum extension fallthrough false fileprivate final for func get guard if"
    " import in indirect init inout internal is lazy let mutating nil nonisolated open operator optional"
    " override precedencegroup private protocol public repeat required rethrows return self Self set"
    " some static struct subscript super switch throw throws true try typealias unowned var weak where"
    " while"
)
SCALA = (
    "abstract case catch class def do else enum export extends extension false final finally for"
    " forSome given if implicit import inline lazy match new null object opaque open override package"
    " private protected return sealed super then this throw trait transparent true try type using val"
    " var while with yield"
)
PHP = (
    "abstract and array as break callable case catch class clone const continue declare default do echo"
    " else elseif empty enddeclare endfor endforeach endif endswitch endwhile enum extends false final"
    " finally fn for foreach function global goto if implements include include_once instanceof"
    " insteadof interface isset list match namespace new null or print private protected public readonly"
    " require require_once return self static switch this throw trait true try unset use var while xor"
    " yield"
)
DART = (
    "abstract as assert async await base break case catch class const continue covariant default"
    " deferred do dynamic else enum export extends extension external factory false final finally for"
    " Function get hide if implements import in interface is late library mixin new null of on operator"
    " part required rethrow return sealed set show static super switch sync this throw true try typedef"
    " var void when while with yield"
)
GROOVY = JAVA + " as def in it trait"
ZIG = (
    "addrspace align allowzero and anyframe anytype asm async await break callconv catch comptime const"
    " continue defer else enum errdefer error export extern false fn for if inline linksection noalias"
    " noinline nosuspend null opaque or orelse packed pub resume return struct suspend switch test"
    " threadlocal true try undefined union unreachable usingnamespace var volatile while"
)
D = (
    "abstract alias align asm assert auto bool break byte case cast catch char class const continue dchar"
    " debug default delegate deprecated do double else enum export extern false final finally float for"
    " foreach foreach_reverse function goto if immutable import in inout int interface invariant is lazy"
    " long macro mixin module new nothrow null out override package pragma private protected public pure"
    " real ref return scope shared short static string struct super switch synchronized template this throw"
    " true try typeid typeof ubyte uint ulong union unittest ushort version void wchar while with"
)
NIM = (
    "addr and as asm bind block break case cast concept const continue converter defer discard distinct div"
    " do elif else end enum except export false finally for from func if import in include interface is"
    " isnot iterator let macro method mixin mod nil not notin object of or out proc ptr raise ref return"
    " shl shr static template true try tuple type using var when while xor yield"
)
PROTOBUF = (
    "bool bytes double enum extend extensions fixed32 fixed64 float group import int32 int64 map"
    " message oneof option optional package public repeated required reserved returns rpc service"
    " sfixed32 sfixed64 sint32 sint64 stream string syntax to uint32 uint64 weak"
)
GLEAM = "as assert case const external fn if import let opaque panic pub todo type use"
COFFEESCRIPT = JAVASCRIPT + " and by is isnt loop no not off on or own then undefined unless until when yes"
SOLIDITY = (
    "abstract address bool break bytes calldata catch constant constructor continue contract do else"
    " emit enum event external fallback false for function if immutable import indexed interface"
    " internal is library mapping memory modifier new override payable pragma private public pure"
    " receive return returns revert storage string struct true try type uint uint256 unchecked using"
    " view virtual while"
)
TERRAFORM = "data false for in locals module moved null output provider resource terraform true variable"
PYTHON = (
    "False None True and as assert async await break case class continue def del elif else except"
    " finally for from global if import in is lambda match nonlocal not or pass raise return try while"
    " with yield self cls"
)
RUBY = (
    "BEGIN END alias and begin break case class def defined? do else elsif end ensure false for if in"
    " module next nil not or redo rescue retry return self super then true undef unless until when while"
    " yield private protected"
)
PERL = (
    "and cmp continue do else elsif eq eval for foreach ge gt if last le local lt my ne next no not or"
    " our package print redo require return sub undef unless until use while x xor"
)
SHELL = (
    "case coproc do done elif else esac fi for function if in local return select then time until while"
    " export"
)
POWERSHELL = (
    "begin break catch class continue data do dynamicparam else elseif end enum exit filter finally for"
    " foreach function if in param process return switch throw trap try until using while"
)
SQL = (
    "add all alter and any as asc begin between bigint boolean by case cast char check column commit"
    " constraint create cross date decimal declare default delete desc distinct drop else end except"
    " exists false fetch for foreign from full function grant group having if in index inner insert int"
    " integer intersect interval into is join key left like limit merge not null numeric offset on or"
    " order outer over partition primary procedure recursive references return returning returns revoke"
    " right rollback row rows select set smallint table text then timestamp to trigger true union unique"
    " update using values varchar view when where window with"
)
LUA = (
    "and break do else elseif end false for function goto if in local nil not or repeat return self"
    " then true until while"
)
R = "FALSE Inf NA NULL NaN TRUE break else for function if in next repeat return while library"
JULIA = (
    "abstract baremodule begin break catch const continue do else elseif end export false finally for"
    " function global if import in isa let local macro module mutable primitive quote return struct true"
    " try type using where while"
)
HASKELL = (
    "as case class data default deriving do else forall foreign hiding if import in infix infixl infixr"
    " instance let module newtype of qualified then type where"
)
ELIXIR = (
    "after alias and case catch cond def defdelegate defexception defimpl defmacro defmacrop defmodule"
    " defp defprotocol defstruct do else end false fn for if import in nil not or quote raise receive"
    " require rescue super throw true try unless unquote use when with"
)
ERLANG = (
    "after and andalso band begin bnot bor bsl bsr bxor case catch cond div end fun if let maybe not of"
    " or orelse receive rem try when xor module export define include record spec type"
)
CLOJURE = (
    "def defmacro defmethod defmulti defn defprotocol defrecord deftest deftype do doseq dotimes else"
    " fn for if let letfn loop nil ns quote recur require throw true false try when cond case"
)
OCAML = (
    "and as assert begin class constraint do done downto else end exception external false for fun"
    " function functor if in include inherit initializer lazy let match method module mutable new nonrec"
    " object of open or private rec sig struct then to true try type val virtual when while with"
)
TCL = (
    "after append array break catch continue else elseif error eval expr for foreach global if incr"
    " lappend namespace proc puts return set switch then unset upvar variable while"
)
VIM = (
    "augroup autocmd call catch command echo else elseif end endfor endfunction endif endtry endwhile"
    " execute finish for function if let return set try while"
)
CMAKE = (
    "if else elseif endif foreach endforeach while endwhile function endfunction macro endmacro set"
    " option ON OFF TRUE FALSE NOT AND OR"
)
MAKE = "define else endef endif export ifdef ifeq ifndef ifneq include override unexport vpath"
DOCKER = (
    "ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL MAINTAINER ONBUILD RUN SHELL"
    " STOPSIGNAL USER VOLUME WORKDIR AS"
)
GRAPHQL = (
    "directive enum extend false fragment implements input interface mutation null on query repeatable"
    " scalar schema subscription true type union"
)
FORTRAN = (
    "allocatable call case character contains cycle deallocate dimension do else elseif end enddo endif"
    " exit function if implicit in inout integer intent interface logical module none only out parameter"
    " pointer print private program public real recursive result return select stop subroutine then type"
    " use where while write"
)
GDSCRIPT = (
    "and as assert await break class class_name const continue elif else enum export extends false for func if in"
    " is match not null onready or pass return self setget signal static super tool true var void while yield"
)
COBOL = (
    "accept add call close compute data delete display divide division else end-if environment evaluate exit file"
    " go identification if move multiply not open perform pic procedure program-id read section select set stop"
    " subtract then to until using value varying when working-storage write"
)
ABAP = (
    "and append assign at break-point call case catch check class clear constants data define delete do else elseif"
    " endclass endif endloop endmethod endtry exit export field-symbols form from function if import insert into"
    " is loop method methods modify new not of or perform raise read ref report return select set sort table to try"
    " type types unassign update when where while with"
)
