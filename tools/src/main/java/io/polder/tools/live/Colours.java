package io.polder.tools.live;

import io.polder.tools.terminal.Terminal;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Help.Ansi.Style;

/** Whether to use colours, and how. */
enum Colours {
    /** On a terminal, unless {@code NO_COLOR} is set. */
    AUTO,
    ALWAYS,
    NEVER;

    static final String USED = Style.fg_green.on();
    static final String FREE = Style.fg_yellow.on();
    static final String DIRTY = Style.fg_magenta.on();
    static final String ISOLATED = Style.fg_cyan.on();
    static final String NONE = Style.faint.on();
    static final String BOLD = Style.bold.on();
    static final String END = Style.reset.on();

    boolean use() {
        return switch (this) {
            case ALWAYS -> true;
            case NEVER -> false;
            case AUTO -> Terminal.OUTPUT.canMore() && isUnset(System.getenv("NO_COLOR"));
        };
    }

    private static boolean isUnset(@Nullable String variable) {
        return variable == null || variable.isEmpty();
    }
}
