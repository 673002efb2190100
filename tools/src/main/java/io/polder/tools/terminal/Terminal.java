package io.polder.tools.terminal;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** Whether somebody is looking at a stream of this process. */
public enum Terminal {
    /** Standard output. */
    OUTPUT(1),
    /** Standard error. */
    ERRORS(2);

    /** What a terminal has that does not say how large it is. */
    private static final int ROWS_DEFAULT = 24;

    private static final int COLUMNS_DEFAULT = 80;

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

    /** How many lines fit now: the size may change at any time. */
    public static int rows() {
        return size(0, ROWS_DEFAULT);
    }

    /** How many characters fit into a line now. */
    public static int columns() {
        return size(1, COLUMNS_DEFAULT);
    }

    private static int size(int which, int unknown) {
        try {
            Process stty =
                    new ProcessBuilder("stty", "size")
                            .redirectInput(new File("/dev/tty"))
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            String size =
                    new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            if (stty.waitFor(1, TimeUnit.SECONDS) && size.matches("\\d{1,5} \\d{1,5}\\s*")) {
                int number = Integer.parseInt(size.strip().split(" ", 2)[which]);
                return number > 0 ? number : unknown;
            }
        } catch (IOException e) {
            // there is no such program
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return unknown;
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
