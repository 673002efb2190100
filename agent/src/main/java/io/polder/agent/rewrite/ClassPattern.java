package io.polder.agent.rewrite;

/**
 * A pattern for names of classes: {@code *} stands for anything without a dot, {@code **} for
 * anything. {@code com.acme.*} has the classes of one package, {@code com.acme.**} those of the
 * packages inside it, too. Nested classes are named with a dollar sign, which is an ordinary
 * character: {@code *} covers them.
 *
 * @param text the pattern
 */
public record ClassPattern(String text) {
    /** Checks that the pattern can match a name. */
    public ClassPattern {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("a pattern must not be empty");
        }
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c != '*' && c != '.' && !Character.isJavaIdentifierPart(c)) {
                throw new IllegalArgumentException(
                        "a pattern must have names of classes, dots and asterisks: pattern="
                                + text);
            }
        }
    }

    /** Whether a class has a name like this. */
    public boolean matches(String name) {
        return matches(0, name, 0);
    }

    private boolean matches(int at, String name, int from) {
        int p = at;
        int n = from;
        while (p < text.length() && text.charAt(p) != '*') {
            if (n >= name.length() || name.charAt(n) != text.charAt(p)) {
                return false;
            }
            p++;
            n++;
        }
        if (p == text.length()) {
            return n == name.length();
        }
        boolean dots = p + 1 < text.length() && text.charAt(p + 1) == '*';
        int next = dots ? p + 2 : p + 1;
        for (int end = n; ; end++) {
            if (matches(next, name, end)) {
                return true;
            }
            if (end == name.length() || (!dots && name.charAt(end) == '.')) {
                return false;
            }
        }
    }
}
