package io.polder.cache;

import org.jspecify.annotations.Nullable;

import java.io.InvalidClassException;
import java.io.ObjectInputFilter;
import java.io.UncheckedIOException;

/**
 * A serial filter that is also asked when an object is written, so that what could not be read is
 * refused then, and that says what it has refused. Limits of sizes are asked when it is read alone.
 *
 * <p>For one stream of one thread.
 */
final class AskedFilter implements ObjectInputFilter {
    private final ObjectInputFilter filter;
    private @Nullable FilterInfo refused;

    /** Of the next class that is written: one for that of the whole object, or more. */
    private int depth = 1;

    AskedFilter(ObjectInputFilter filter) {
        this.filter = filter;
    }

    /** What is asked of a class that is written, before it is known how much of it will be read. */
    private record Written(
            Class<?> serialClass, long arrayLength, long depth, long references, long streamBytes)
            implements FilterInfo {}

    private static boolean isRefused(@Nullable Status status) {
        return status == null || status == Status.REJECTED;
    }

    /**
     * @throws UncheckedIOException if objects of the class would not be read; a stream would write
     *     an exception that is checked
     */
    void checkWritten(Class<?> type) {
        check(type);
        depth = 2;
    }

    private void check(Class<?> type) {
        if (isRefused(filter.checkInput(new Written(type, -1, depth, 1, 1)))) {
            throw new UncheckedIOException(
                    new InvalidClassException(
                            type.getName(),
                            "the serial filter must allow the class of what is written"));
        }
    }

    /**
     * @throws UncheckedIOException if objects of the class would not be read
     */
    void checkWrittenProxy(Class<?> type) {
        for (Class<?> each : type.getInterfaces()) {
            check(each);
        }
        checkWritten(type);
    }

    @Override
    public @Nullable Status checkInput(FilterInfo info) {
        Status status = filter.checkInput(info);
        if (isRefused(status)) {
            refused = info;
        }
        return status;
    }

    /** What a stream has thrown, with what this has refused, if it has. */
    InvalidClassException named(InvalidClassException thrown) {
        FilterInfo info = refused;
        if (info == null) {
            return thrown;
        }
        Class<?> type = info.serialClass();
        InvalidClassException named =
                new InvalidClassException(
                        type == null ? null : type.getName(),
                        "the serial filter must allow what is read: arrayLength="
                                + info.arrayLength()
                                + ", depth="
                                + info.depth()
                                + ", references="
                                + info.references()
                                + ", streamBytes="
                                + info.streamBytes());
        named.initCause(thrown);
        return named;
    }
}
