package io.polder.tools.live;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * The terminal, while a view fills it.
 *
 * <pre>{@code
 *   open: another screen, no cursor --draw, again and again--> close: the screen as it was
 *                                      \--Ctrl-C, a signal--> the same, by a shutdown hook
 * }</pre>
 *
 * <p>Thread-safe: the hook may come at any time, and nothing is drawn after it.
 */
final class Screen implements AutoCloseable {
    static final String ENTER = "\u001b[?1049h\u001b[?25l";
    static final String LEAVE = "\u001b[?25h\u001b[?1049l";
    private static final String HOME = "\u001b[H";
    private static final String END_OF_LINE = "\u001b[K";
    private static final String END_OF_SCREEN = "\u001b[J";

    /** Nothing wraps into the next line: it would push the first one out. */
    private static final String NO_WRAP = "\u001b[?7l";

    private static final String WRAP = "\u001b[?7h";

    private static final int ROWS_DEFAULT = 24;

    private final PrintWriter out;
    private final Thread hook;
    private boolean closed;

    private Screen(PrintWriter out) {
        this.out = out;
        this.hook = new Thread(this::leave, "polder-screen");
    }

    static Screen open(PrintWriter out) {
        Screen screen = new Screen(out);
        Runtime.getRuntime().addShutdownHook(screen.hook);
        out.print(ENTER);
        out.flush();
        return screen;
    }

    /** How many lines fit now: the size may change at any time. */
    int rows() {
        try {
            Process stty =
                    new ProcessBuilder("stty", "size")
                            .redirectInput(new File("/dev/tty"))
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            String size =
                    new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            if (stty.waitFor(1, TimeUnit.SECONDS) && size.matches("\\d+ \\d+\\s*")) {
                int rows = Integer.parseInt(size.split(" ", 2)[0]);
                return rows > 0 ? rows : ROWS_DEFAULT;
            }
        } catch (IOException e) {
            // there is no such program
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return ROWS_DEFAULT;
    }

    /** Replaces what is shown. */
    synchronized void draw(String text) {
        if (closed) {
            return;
        }
        out.print(HOME + NO_WRAP + text.replace("\n", END_OF_LINE + "\n") + END_OF_SCREEN + WRAP);
        out.flush();
    }

    private synchronized void leave() {
        if (!closed) {
            closed = true;
            out.print(LEAVE);
            out.flush();
        }
    }

    @Override
    public void close() {
        leave();
        try {
            boolean _ = Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException shuttingDown) {
            // the hook has come, or comes
        }
    }
}
