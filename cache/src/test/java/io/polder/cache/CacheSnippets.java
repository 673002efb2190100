package io.polder.cache;

import java.io.ObjectInputFilter;
import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.Locale;

/** The examples of the reference and of docs/cache.md. */
final class CacheSnippets {
    private CacheSnippets() {}

    // @start region="cache"
    record User(long id, String name, boolean active) {}

    static OffHeapCache<Long, User> openUsers() {
        return OffHeapCache.<Long, User>builder()
                .keyCodec(Codec.longs())
                .valueCodec(Codec.records(User.class))
                .maximumBytes(256L << 20)
                .expireAfterWrite(Duration.ofMinutes(10))
                .build();
    }

    static String nameOf(OffHeapCache<Long, User> users, long id) {
        User user = users.get(id, key -> new User(key, "user " + key, true));
        return user == null ? "nobody" : user.name();
    }

    // @end

    // @start region="serialized"
    record Visit(LocalDateTime at, Duration length) implements Serializable {}

    static OffHeapCache<Long, Visit> openVisits() {
        String classes = Visit.class.getName() + ";java.time.*;!*"; // these, and no others
        return OffHeapCache.<Long, Visit>builder()
                .keyCodec(Codec.longs())
                .valueCodec(
                        Codec.javaSerialization(
                                Visit.class, ObjectInputFilter.Config.createFilter(classes)))
                .maximumBytes(64L << 20)
                .build();
    }

    // @end

    /** A codec of a program. */
    // @start region="codec"
    static final class LocaleCodec implements Codec<Locale> {
        @Override
        public long size(Locale value) {
            return value.toLanguageTag().length();
        }

        @Override
        public void write(Locale value, MemorySegment to) {
            byte[] tag = value.toLanguageTag().getBytes(StandardCharsets.US_ASCII);
            MemorySegment.copy(tag, 0, to, ValueLayout.JAVA_BYTE, 0, tag.length);
        }

        @Override
        public Locale read(MemorySegment from) {
            byte[] tag = from.toArray(ValueLayout.JAVA_BYTE);
            return Locale.forLanguageTag(new String(tag, StandardCharsets.US_ASCII));
        }
    }
    // @end
}
