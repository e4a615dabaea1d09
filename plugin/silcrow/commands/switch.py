"""`/ctx-off` and `/ctx-on`: Silcrow for one session, in the words of a person's replies."""

OFF_IN_SESSION = "Silcrow is switched off for this session (/ctx-off)"
OFF_IN_SETTINGS = "Silcrow is switched off in the settings (enabled = false)"


def render_off(*, was_off: bool, off_in_settings: bool) -> str:
    """Say what `/ctx-off` did."""
    if was_off:
        text = "Silcrow was switched off for this session already; nothing was changed."
    else:
        text = (
            "Silcrow is switched off for this session from the next request on. What is dropped "
            "stays dropped, nothing new lands, and new parts bear no marker. The queue and the "
            "pins are kept, and ctx_expand goes on answering. /ctx-on switches it on again."
        )
    return f"{text} {OFF_IN_SETTINGS} as well." if off_in_settings else text


def render_on(*, was_off: bool, off_in_settings: bool) -> str:
    """Say what `/ctx-on` did."""
    if off_in_settings:
        did = "The switch of this session is on" if was_off else "This session was not switched off"
        return f"{did}, but {OFF_IN_SETTINGS}, and that decides."
    if not was_off:
        return "Silcrow is switched on for this session already; nothing was changed."
    return (
        "Silcrow is switched on again for this session from the next request on. Parts that went "
        "out meanwhile stay as they are: without a marker, and never dropped."
    )
