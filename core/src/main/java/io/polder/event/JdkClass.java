package io.polder.event;

/**
 * Looks for classes of the JDK that the library can do without. An image made by {@code jlink} may
 * lack their module; and a loader may hide what the JVM has, as those of OSGi bundles hide all
 * packages but {@code java.*} that a bundle does not import.
 */
public final class JdkClass {
    private JdkClass() {}

    /** Whether this copy of the library can use a class of a module that it may read. */
    public static boolean isVisible(String name) {
        try {
            Class<?> found = Class.forName(name, false, JdkClass.class.getClassLoader());
            return JdkClass.class.getModule().canRead(found.getModule());
        } catch (ClassNotFoundException | LinkageError | RuntimeException hidden) {
            return false; // loaders of programs throw what they like
        }
    }
}
