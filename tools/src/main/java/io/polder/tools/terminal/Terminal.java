package io.polder.tools.terminal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** Whether somebody is looking at a stream of this process. */
public enum Terminal {
    /** Standard output. */
    OUTPUT(1),
    /** Standard error. */
    ERRORS(2);

    private final Path stream;

    Terminal(int descriptor) {
        stream = Path.of("/proc/self/fd/" + descriptor);
    }

    /** Shows progress on stderr: a bar that overwrites itself on a terminal, else plain lines. */
    public static Progress progress() {
        return ERRORS.canMore() ? new ProgressBar(System.err) : new ProgressLines(System.err);
    }

    /** Whether the stream is a terminal that understands more than lines. */
    public boolean canMore() {
        return isTerminal() && !"dumb".equals(System.getenv("TERM"));
    }

    /** Whether the stream may lead to another process: where the kernel does not tell, it may. */
    public boolean mayBePipe() {
        try {
            String target = Files.readSymbolicLink(stream).toString();
            return target.startsWith("pipe:") || target.startsWith("socket:");
        } catch (IOException e) {
            return true;
        }
    }

    /** Java knows of stdin and stdout together; where the kernel tells more, it is asked. */
    private boolean isTerminal() {
        if (Files.isSymbolicLink(stream)) {
            try {
                String target = Files.readSymbolicLink(stream).toString();
                return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
            } catch (IOException e) {
                return false;
            }
        }
        return Objects.requireNonNull(System.console(), "never null since Java 22").isTerminal();
    }
}
