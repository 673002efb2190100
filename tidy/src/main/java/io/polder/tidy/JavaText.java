package io.polder.tidy;

/**
 * Java source with its comments, or its comments and literals, replaced by blanks; lines stay where
 * they are.
 */
final class JavaText {

    private enum State {
        CODE,
        LINE_COMMENT,
        BLOCK_COMMENT,
        STRING,
        TEXT_BLOCK,
        CHARACTER
    }

    private final String source;
    private final boolean keepLiterals;
    private final StringBuilder out;
    private int at;

    private JavaText(String source, boolean keepLiterals) {
        this.source = source;
        this.keepLiterals = keepLiterals;
        this.out = new StringBuilder(source.length());
    }

    static String withoutComments(String source) {
        return new JavaText(source, true).scan();
    }

    static String withoutCommentsAndLiterals(String source) {
        return new JavaText(source, false).scan();
    }

    private String scan() {
        State state = State.CODE;
        while (at < source.length()) {
            state =
                    switch (state) {
                        case CODE -> code();
                        case LINE_COMMENT -> until("\n", State.LINE_COMMENT);
                        case BLOCK_COMMENT -> until("*/", State.BLOCK_COMMENT);
                        case STRING -> literal("\"", State.STRING);
                        case TEXT_BLOCK -> literal("\"\"\"", State.TEXT_BLOCK);
                        case CHARACTER -> literal("'", State.CHARACTER);
                    };
        }
        return out.toString();
    }

    private State code() {
        if (source.startsWith("//", at)) {
            take(2, false);
            return State.LINE_COMMENT;
        } else if (source.startsWith("/*", at)) {
            take(2, false);
            return State.BLOCK_COMMENT;
        } else if (source.startsWith("\"\"\"", at)) {
            take(3, true);
            return State.TEXT_BLOCK;
        } else if (source.charAt(at) == '"') {
            take(1, true);
            return State.STRING;
        } else if (source.charAt(at) == '\'') {
            take(1, true);
            return State.CHARACTER;
        }
        take(1, true);
        return State.CODE;
    }

    private State literal(String delimiter, State state) {
        if (source.startsWith(delimiter, at)) {
            take(delimiter.length(), true);
            return State.CODE;
        }
        boolean escape = source.charAt(at) == '\\' && at + 1 < source.length();
        take(escape ? 2 : 1, keepLiterals);
        return state;
    }

    private State until(String end, State state) {
        boolean ends = source.startsWith(end, at);
        take(ends ? end.length() : 1, false);
        return ends ? State.CODE : state;
    }

    private void take(int count, boolean keep) {
        for (int i = 0; i < count; i++) {
            char c = source.charAt(at++);
            out.append(keep || c == '\n' ? c : ' ');
        }
    }
}
