package io.polder.tools.terminal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** Whether somebody is looking: decides how progress is shown on stderr. */
public final class Terminal {
    private static final Path STDERR = Path.of("/proc/self/fd/2");

    private Terminal() {}

    /** A bar that overwrites itself on a terminal, plain lines elsewhere. */
    public static Progress progress() {
        boolean bar = stderrIsTerminal() && !"dumb".equals(System.getenv("TERM"));
        return bar ? new ProgressBar(System.err) : new ProgressLines(System.err);
    }

    /** Java only knows about stdin and stdout; where the kernel tells more, it is asked. */
    private static boolean stderrIsTerminal() {
        if (Files.isSymbolicLink(STDERR)) {
            try {
                String target = Files.readSymbolicLink(STDERR).toString();
                return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
            } catch (IOException e) {
                return false;
            }
        }
        return Objects.requireNonNull(System.console(), "never null since Java 22").isTerminal();
    }
}
