"""Operations that people requested: changes that a build includes, removals and repeated analyses."""
