package io.polder.tools.live;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** Whether to use colours, and how. */
enum Colours {
    /** On a terminal, unless {@code NO_COLOR} is set. */
    AUTO,
    ALWAYS,
    NEVER;

    static final String USED = "\u001b[32m";
    static final String FREE = "\u001b[33m";
    static final String DIRTY = "\u001b[35m";
    static final String IN_HAND = "\u001b[36m";
    static final String NONE = "\u001b[2m";
    static final String BOLD = "\u001b[1m";
    static final String END = "\u001b[0m";

    private static final Path STDOUT = Path.of("/proc/self/fd/1");

    boolean use() {
        return switch (this) {
            case ALWAYS -> true;
            case NEVER -> false;
            case AUTO -> terminalCan() && isUnset(System.getenv("NO_COLOR"));
        };
    }

    private static boolean isUnset(@Nullable String variable) {
        return variable == null || variable.isEmpty();
    }

    /** Whether standard output is a terminal that understands more than lines. */
    static boolean terminalCan() {
        return stdoutIsTerminal() && !"dumb".equals(System.getenv("TERM"));
    }

    /** Java knows of stdin and stdout together; where the kernel tells more, it is asked. */
    private static boolean stdoutIsTerminal() {
        if (Files.isSymbolicLink(STDOUT)) {
            try {
                String target = Files.readSymbolicLink(STDOUT).toString();
                return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
            } catch (IOException e) {
                return false;
            }
        }
        return Objects.requireNonNull(System.console(), "never null since Java 22").isTerminal();
    }
}
