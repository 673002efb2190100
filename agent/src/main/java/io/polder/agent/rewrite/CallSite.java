package io.polder.agent.rewrite;

/**
 * A place at which arenas are opened.
 *
 * @param type the class, as in {@link Class#getName}
 * @param method the method; of a lambda, what the compiler made of its body
 * @param line in the source; 0 if the class file does not say
 * @param confined whether it opens confined arenas; otherwise shared ones
 * @param source the file that the class was made of; empty if the class file does not say
 */
public record CallSite(String type, String method, int line, boolean confined, String source) {
    /** A place of which no file is known. */
    public CallSite(String type, String method, int line, boolean confined) {
        this(type, method, line, confined, "");
    }

    /** As in a stack trace, so that tools make a link of it; safe to be printed. */
    public String place() {
        String file = source.isEmpty() ? simpleName() + (line == 0 ? "" : ".java") : source;
        return Printable.of(type + "." + method + "(" + file + (line == 0 ? "" : ":" + line) + ")");
    }

    /** Of the outermost class. */
    private String simpleName() {
        int simple = type.lastIndexOf('.') + 1;
        int end = type.indexOf('$', simple + 1);
        return type.substring(simple, end < 0 ? type.length() : end);
    }
}
