"""Which patterns of the root's `.gitattributes` say where files come from.

People also mark their own pages and styles, so that a host shows another language for the repository. Keep out: Git's
rules of patterns (`attributes`).
"""

import re
from typing import Final

_ENDINGS: Final = re.compile(r"\*\.(?:css|scss|sass|less|styl|js|mjs|cjs|jsx|tsx?|vue|html?|php)")
_OTHERS: Final = re.compile(
    r"(?i)[._]?vendor(?:s|ed)?|[._]?third[-_]?part(?:y|ies)|3rd[-_]?party|libs?|library|libraries|ext|externals?|deps"
    r"|dependencies|(?:node|bower|jspm)_(?:modules|components|packages)|packages?|plugins?|contrib|submodules?|imported"
    r"|upstream|\.yarn|Pods|Carthage|Godeps|gems|wrapper"
)
# Parts of a project that its people write
_OWN: Final = re.compile(
    r"(?i)templates?|layouts?|partials?|views?|pages|public|static|assets?|resources?|docs?|documentation|examples?"
    r"|samples?|demos?|tests?|specs?|src|sources?|apps?|web|www|website|html|css|s[ac]ss|styles?|stylesheets|js"
    r"|javascripts?|scripts?|ts|typescript|themes?|client|server|frontend|backend|ui|config|conf|migrations?|database"
)


def names_origin(pattern: str, attribute: str) -> bool:
    """Whether the pattern by which an attribute is set is about more than the language that a host shows.

    An ending alone is not. Of vendored files the pattern names a file, or a folder other than the usual ones of a
    project.
    """
    *folders, name = pattern.removeprefix("/").split("/")
    folders = [folder for folder in folders if folder.strip("*")]
    if attribute == "linguist-generated":
        return bool(folders) or _ENDINGS.fullmatch(name) is None
    if attribute != "linguist-vendored":
        return True
    if not name.startswith("*"):
        # Git gives no attribute to what is below a folder that is named so: this is a file.
        return True
    if any(_OTHERS.fullmatch(folder) for folder in folders):
        return True
    return bool(folders) and _OWN.fullmatch(folders[-1]) is None
