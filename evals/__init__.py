"""See docs/design.md, section 3."""
