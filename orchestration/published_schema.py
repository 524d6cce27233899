"""What a built warehouse must offer to be published: every relation, in the order in which they are copied.

Add: a relation of another kind. Keep out: what each consists of (its module), how it is copied (publish.py).
"""

from orchestration.published_commits import COMMITS
from orchestration.published_entities import ENTITIES
from orchestration.published_figures import FIGURES
from orchestration.published_relation import Relation
from orchestration.published_zero_reasons import ZERO_REASONS

# What numbers its rows comes before those that name their places.
RELATIONS: tuple[Relation, ...] = (*ENTITIES, *COMMITS, *FIGURES, *ZERO_REASONS)
