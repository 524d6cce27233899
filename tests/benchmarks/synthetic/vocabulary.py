"""Words for names, paths and messages."""


def words(text: str, separator: str | None = None) -> list[str]:
    """The words of a text; phrases are separated by a bar."""
    return text.split(separator)


FIRST_NAMES = words(
    "Ada Alan Anna Ben Carla Chen Dara Diego Elif Emma Femi Grace Hana Hugo Ines Ivan Jana Jonas Kai "
    "Lena Liam Lucia Maja Marco Mei Nadia Noah Olga Omar Priya Quinn Rosa Sami Sara Tariq Tomas Uma "
    "Vera Wei Yara"
)
FAMILY_STARTS = words("Bar Col Dan Fer Gar Hol Kar Lin Mar Nor Pet Ros San Tor Val Wes")
FAMILY_ENDS = words(
    "berg dal den er feld ford ini kov land ley man mann nez ova ran sen sky son stein ton vic ward well zer"
)
REPOSITORIES = words(
    "atlas beacon cobalt delta ember falcon granite harbor iris juniper kestrel lumen meteor nimbus orchid"
)
FOLDERS = words("app core web api jobs models views billing search auth reports admin shared tools")
FILES = words(
    "index client server store views forms query tasks rules types events errors parser render cache"
)
VERBS = {
    "feat": words("add support allow introduce implement expose"),
    "fix": words("handle avoid correct prevent restore repair"),
    "chore": words("bump update remove drop pin clean"),
    "refactor": words("extract simplify split rename move inline"),
    "test": words("cover assert verify check stabilise parametrise"),
    "docs": words("document explain describe mention clarify list"),
    "perf": words("speed cache batch reuse skip shrink"),
    "build": words("upgrade package bundle require publish vendor"),
    "ci": words("run cache skip retry notify pin"),
}
NOUNS = words(
    "parser cache index session token router schema worker queue client server header cookie stream "
    "buffer socket timeout retry release config module plugin loader report export import dashboard "
    "column filter sort page search login invoice order account policy webhook event metric alert "
    "backup restore upload download preview editor"
)
CIRCUMSTANCES = words(
    "for empty input|when the connection drops|on first start|without a network|in the nightly job|"
    "with large files|after a restart|across time zones|for archived projects|under load|behind a proxy|"
    "with two writers",
    "|",
)
SENTENCES = words(
    "The old code assumed that the list was sorted.|Measured on the staging copy, this halves the time.|"
    "Nothing else used it.|See the discussion in the ticket.|This was found while testing the upgrade.|"
    "The previous default surprised people.|It keeps the interface as it was.",
    "|",
)
ASSISTANTS = words(
    "Claude <noreply@anthropic.com>|Cursor <cursoragent@cursor.com>|"
    "Copilot <198982749+Copilot@users.noreply.github.com>",
    "|",
)
