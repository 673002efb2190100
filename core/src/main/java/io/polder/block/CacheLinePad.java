package io.polder.block;

/**
 * A cache line in front of the fields of a subclass. What one thread writes with each call and what
 * another one reads with each call would else share a line as soon as the garbage collector moves
 * them side by side: a call of each then waits for the other's processor.
 *
 * <pre>{@code
 *   header | this pad | fields of the subclass | pad of its own subclass | next object
 * }</pre>
 *
 * <p>HotSpot lays the fields of a superclass out before those of its subclasses; inside a class it
 * may change their order. Hence three classes. {@code @Contended} is only the JDK's.
 */
@SuppressWarnings("unused")
abstract class CacheLinePad {
    private long pad0, pad1, pad2, pad3, pad4, pad5, pad6, pad7;
}
