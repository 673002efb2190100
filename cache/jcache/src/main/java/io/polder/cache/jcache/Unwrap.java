package io.polder.cache.jcache;

/** Hands out an object of the provider as one of another type that it has. */
final class Unwrap {
    private Unwrap() {}

    /**
     * @throws IllegalArgumentException if it does not have the type
     */
    static <T> T as(Object object, Class<T> type) {
        if (!type.isInstance(object)) {
            throw new IllegalArgumentException(
                    "the class must be one that the object has: class="
                            + type.getName()
                            + ", object's="
                            + object.getClass().getName());
        }
        return type.cast(object);
    }
}
