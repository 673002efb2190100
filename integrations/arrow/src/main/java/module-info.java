import org.jspecify.annotations.NullMarked;

/** The memory of Apache Arrow's buffers, in blocks of Polder's. */
@NullMarked
module io.polder.arrow {
    requires static org.jspecify;
    requires transitive io.polder;
    requires transitive org.apache.arrow.memory.core;

    exports io.polder.arrow;
}
