package io.polder.tidy.shown;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/** A bit of everything that the list of an API must hold, or must not. */
public abstract class Shown<T extends Comparable<T>> extends Hidden<T> implements AutoCloseable {

    public static final int ANSWER = 6 * 7;
    public static final Integer BOXED = 7;
    static final int NOT_REACHED = 1;

    protected Shown(int seats) throws IOException {
        if (seats < 0) {
            throw new IOException("seats=" + seats);
        }
    }

    /**
     * The first of the things.
     *
     * @deprecated so that one is
     */
    @Deprecated
    public @Nullable String maybe(Object... things) {
        return things.length == 0 ? null : things[0].toString();
    }

    @Override
    public abstract void close();

    /** Not public. */
    static final class Inside {}

    public enum Kind {
        ONE
    }
}
