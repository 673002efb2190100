package io.polder.tools.live;

import java.io.PrintWriter;

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
