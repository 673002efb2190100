package io.polder.agent.rewrite;

/**
 * A place at which arenas are opened.
 *
 * @param type the class, as in {@link Class#getName}
 * @param method the method; of a lambda, what the compiler made of its body
 * @param line in the source; 0 if the class file does not say
 * @param confined whether it opens confined arenas; otherwise shared ones
 */
public record CallSite(String type, String method, int line, boolean confined) {
    /** As in a stack trace, so that tools make a link of it; safe to be printed. */
    public String place() {
        int simple = Math.max(type.lastIndexOf('.'), -1) + 1;
        int end = type.indexOf('$', simple + 1);
        String file = type.substring(simple, end < 0 ? type.length() : end);
        return Printable.of(
                type + "." + method + "(" + file + (line == 0 ? "" : ".java:" + line) + ")");
    }
}
