package io.polder.agent.rewrite;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * Which classes may be rewritten: those of the program, as far as the user's patterns say so. Never
 * those of the JDK, whatever loads them, and never those of Polder.
 *
 * @param include one of these must match; all names match if there is none
 * @param exclude none of these may match
 */
public record ClassFilter(List<ClassPattern> include, List<ClassPattern> exclude) {
    private static final List<String> OTHERS =
            List.of("io/polder/", "java/", "javax/", "jdk/", "sun/", "com/sun/");

    /** Copies the lists. */
    public ClassFilter {
        include = List.copyOf(include);
        exclude = List.copyOf(exclude);
    }

    /** Whether there are no patterns. */
    public boolean isOpen() {
        return include.isEmpty() && exclude.isEmpty();
    }

    /**
     * Whether a class may be rewritten.
     *
     * @param module its module
     * @param loader its loader; null for the boot loader
     * @param name its name, with slashes
     */
    boolean admits(@Nullable Module module, @Nullable ClassLoader loader, String name) {
        if (loader == null || isOfOthers(module, loader, name)) {
            return false;
        }
        if (isOpen()) {
            return true;
        }
        String dotted = name.replace('/', '.');
        return (include.isEmpty() || anyMatches(include, dotted)) && !excludes(dotted);
    }

    /** Whether a pattern excludes a class, by its name with dots. */
    public boolean excludes(String name) {
        return anyMatches(exclude, name);
    }

    private static boolean isOfOthers(@Nullable Module module, ClassLoader loader, String name) {
        if (loader == ClassLoader.getPlatformClassLoader()) {
            return true;
        }
        if (module != null && module.isNamed()) {
            return module.getName().startsWith("java.")
                    || module.getName().startsWith("jdk.")
                    || name.startsWith("io/polder/");
        }
        for (String prefix : OTHERS) {
            if (name.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }

    private static boolean anyMatches(List<ClassPattern> patterns, String name) {
        for (ClassPattern pattern : patterns) {
            if (pattern.matches(name)) {
                return true;
            }
        }
        return false;
    }
}
