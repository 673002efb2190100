import org.jspecify.annotations.NullMarked;

/**
 * Off-heap memory for Java 25: handed out fast, closed cheaply, kept safe, given back.
 *
 * <p>Start with {@link io.polder.MemoryPool}. The module calls the operating system through {@link
 * java.lang.foreign}: run with {@code --enable-native-access=io.polder} (or {@code ALL-UNNAMED} on
 * the class path). Where native access is denied, arenas fall back to the JDK's own.
 */
@NullMarked
module io.polder {
    requires static org.jspecify;
    requires jdk.jfr;
    requires static java.management;

    exports io.polder;
    exports io.polder.heap;
    exports io.polder.page;
}
