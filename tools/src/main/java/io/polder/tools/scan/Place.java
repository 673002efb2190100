package io.polder.tools.scan;

import io.polder.tools.terminal.Printable;

/**
 * Where in a class file something is.
 *
 * @param className with dots; this and all other texts are {@linkplain Printable printable}
 * @param method its name
 * @param descriptor of the method
 * @param sourceFile empty if the class file does not say
 * @param line 0 if the class file does not say
 */
record Place(String className, String method, String descriptor, String sourceFile, int line) {
    /** As in a stack trace, so that development environments make it a link. */
    String frame() {
        String source = sourceFile.isEmpty() ? "Unknown Source" : sourceFile;
        return className + "." + method + "(" + source + (line == 0 ? "" : ":" + line) + ")";
    }

    /** Another line of the same method. */
    Place at(int otherLine) {
        return new Place(className, method, descriptor, sourceFile, otherLine);
    }
}
