package io.polder.cache;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Records, component after component.
 *
 * <pre>{@code
 *   record Person(long id, @Nullable String name)
 *   +---------+--------------+-----------+
 *   |   id    | size, or -1  |   name    |
 *   +---------+--------------+-----------+
 *    8 bytes   4 bytes
 * }</pre>
 *
 * <p>Numbers are little-endian. Components are read and written by method handles that are found
 * once.
 */
final class RecordCodec<R extends Record> implements PlainCodec<R> {
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private static final int NULL = -1;

    private static final Map<Class<?>, Kind> KINDS =
            Map.of(
                    boolean.class, Kind.BOOLEAN,
                    byte.class, Kind.BYTE,
                    short.class, Kind.SHORT,
                    char.class, Kind.CHAR,
                    int.class, Kind.INT,
                    long.class, Kind.LONG,
                    float.class, Kind.FLOAT,
                    double.class, Kind.DOUBLE);

    /** A component: how it is got from a record, and how its bytes are. */
    private record Part(String name, Kind kind, MethodHandle get, @Nullable Codec<Object> codec) {}

    private enum Kind {
        BOOLEAN(1),
        BYTE(1),
        SHORT(2),
        CHAR(2),
        INT(4),
        LONG(8),
        FLOAT(4),
        DOUBLE(8),
        OTHER(-1);

        final int bytes;

        Kind(int bytes) {
            this.bytes = bytes;
        }
    }

    private final Class<R> type;
    private final Part[] parts;
    private final MethodHandle constructor;
    private final int fixedBytes;

    private RecordCodec(Class<R> type, Part[] parts, MethodHandle constructor) {
        this.type = type;
        this.parts = parts;
        this.constructor = constructor;
        boolean fixed = Arrays.stream(parts).allMatch(part -> part.kind != Kind.OTHER);
        this.fixedBytes = fixed ? Arrays.stream(parts).mapToInt(part -> part.kind.bytes).sum() : -1;
    }

    static <R extends Record> RecordCodec<R> of(MethodHandles.Lookup lookup, Class<R> type) {
        return of(lookup, type, Set.of());
    }

    private static <R extends Record> RecordCodec<R> of(
            MethodHandles.Lookup lookup, Class<R> type, Set<Class<?>> outer) {
        Set<Class<?>> owners = new HashSet<>(outer);
        owners.add(type);
        RecordComponent @Nullable [] components = type.getRecordComponents();
        if (components == null) {
            throw new IllegalArgumentException("a type must be a record: type=" + type.getName());
        }
        RecordCodec.class.getModule().addReads(type.getModule());
        Part[] parts = new Part[components.length];
        Class<?>[] types = new Class<?>[components.length];
        try {
            for (int i = 0; i < parts.length; i++) {
                types[i] = components[i].getType();
                Kind kind = kind(types[i]);
                Codec<Object> codec =
                        kind == Kind.OTHER ? codec(lookup, components[i], owners) : null;
                Class<?> got = kind == Kind.OTHER ? Object.class : types[i];
                MethodHandle get =
                        access(lookup, type)
                                .unreflect(components[i].getAccessor())
                                .asType(MethodType.methodType(got, Record.class));
                parts[i] = new Part(components[i].getName(), kind, get, codec);
            }
            MethodHandle constructor =
                    access(lookup, type)
                            .findConstructor(type, MethodType.methodType(void.class, types));
            return new RecordCodec<>(
                    type,
                    parts,
                    constructor
                            .asSpreader(Object[].class, types.length)
                            .asType(MethodType.methodType(Record.class, Object[].class)));
        } catch (IllegalAccessException | NoSuchMethodException e) {
            throw new IllegalArgumentException(
                    "a record must be accessible: public, or in a package that is open to"
                            + " io.polder.cache, or with a Lookup that may access it: type="
                            + type.getName(),
                    e);
        }
    }

    private static MethodHandles.Lookup access(MethodHandles.Lookup lookup, Class<?> type) {
        try {
            return MethodHandles.privateLookupIn(type, lookup);
        } catch (IllegalAccessException _) {
            return lookup; // what is public is accessible all the same
        }
    }

    private static Kind kind(Class<?> type) {
        return KINDS.getOrDefault(type, Kind.OTHER);
    }

    @SuppressWarnings("unchecked") // it is only given what the component has
    private static Codec<Object> codec(
            MethodHandles.Lookup lookup, RecordComponent component, Set<Class<?>> owners) {
        Class<?> type = component.getType();
        Codec<?> codec;
        if (type == String.class) {
            codec = PlainCodecs.STRINGS;
        } else if (type == byte[].class) {
            codec = PlainCodecs.BYTES;
        } else if (type.isRecord() && !owners.contains(type)) {
            codec = of(lookup, type.asSubclass(Record.class), owners);
        } else {
            throw new IllegalArgumentException(
                    "components must be primitives, strings, arrays of bytes or such records, which"
                            + " do not contain themselves: "
                            + component.getDeclaringRecord().getName()
                            + "."
                            + component.getName()
                            + " is a "
                            + type.getName());
        }
        return (Codec<Object>) codec;
    }

    @Override
    public int fixedBytes() {
        return fixedBytes;
    }

    @Override
    public String format() {
        return Arrays.stream(parts)
                .map(
                        part ->
                                part.name
                                        + " "
                                        + (part.codec == null
                                                ? part.kind.name()
                                                : part.codec.format()))
                .collect(Collectors.joining(",", type.getName() + "(", ")"));
    }

    @Override
    public long size(R value) {
        if (fixedBytes >= 0) {
            return fixedBytes;
        }
        long bytes = 0;
        for (Part part : parts) {
            if (part.codec == null) {
                bytes += part.kind.bytes;
            } else {
                Object component = get(part, value);
                bytes += INT.byteSize() + (component == null ? 0 : part.codec.size(component));
            }
        }
        return bytes;
    }

    private static @Nullable Object get(Part part, Record value) {
        try {
            return (Object) part.get.invokeExact(value);
        } catch (Throwable thrown) {
            throw unchecked(thrown);
        }
    }

    private static RuntimeException unchecked(Throwable thrown) {
        if (thrown instanceof Error error) {
            throw error;
        }
        return thrown instanceof RuntimeException runtime
                ? runtime
                : new IllegalStateException(thrown);
    }

    @Override
    public void write(R value, MemorySegment to) {
        long at = 0;
        for (Part part : parts) {
            if (part.codec != null) {
                at = writeObject(part.codec, get(part, value), to, at);
            } else {
                writeNumber(part, value, to, at);
                at += part.kind.bytes;
            }
        }
        to.asSlice(at).fill((byte) 0); // a component may be smaller than when its size was asked
    }

    private static long writeObject(
            Codec<Object> codec, @Nullable Object value, MemorySegment to, long at) {
        long begin = at + INT.byteSize();
        if (value == null) {
            to.set(INT, at, NULL);
            return begin;
        }
        long bytes = codec.size(value);
        to.set(INT, at, Math.toIntExact(bytes));
        codec.write(value, to.asSlice(begin, bytes));
        return begin + bytes;
    }

    private static void writeNumber(Part part, Record value, MemorySegment to, long at) {
        try {
            MethodHandle get = part.get;
            switch (part.kind) {
                case BOOLEAN ->
                        to.set(
                                ValueLayout.JAVA_BYTE,
                                at,
                                (byte) ((boolean) get.invokeExact(value) ? 1 : 0));
                case BYTE -> to.set(ValueLayout.JAVA_BYTE, at, (byte) get.invokeExact(value));
                case SHORT -> writeShort(to, at, (short) get.invokeExact(value));
                case CHAR -> writeShort(to, at, (short) (char) get.invokeExact(value));
                case INT -> to.set(INT, at, (int) get.invokeExact(value));
                case LONG -> to.set(LONG, at, (long) get.invokeExact(value));
                case FLOAT -> to.set(INT, at, Float.floatToIntBits((float) get.invokeExact(value)));
                case DOUBLE ->
                        to.set(LONG, at, Double.doubleToLongBits((double) get.invokeExact(value)));
                case OTHER -> throw new AssertionError(part);
            }
        } catch (Throwable thrown) {
            throw unchecked(thrown);
        }
    }

    private static void writeShort(MemorySegment to, long at, short value) {
        to.set(ValueLayout.JAVA_BYTE, at, (byte) value);
        to.set(ValueLayout.JAVA_BYTE, at + 1, (byte) (value >> Byte.SIZE));
    }

    private static short readShort(MemorySegment from, long at) {
        int low = from.get(ValueLayout.JAVA_BYTE, at) & 0xFF;
        return (short) (low | (from.get(ValueLayout.JAVA_BYTE, at + 1) << Byte.SIZE));
    }

    @Override
    public R read(MemorySegment from) {
        @Nullable Object[] values = new @Nullable Object[parts.length];
        long at = 0;
        for (int i = 0; i < parts.length; i++) {
            Codec<Object> codec = parts[i].codec;
            if (codec == null) {
                values[i] = readNumber(parts[i].kind, from, at);
                at += parts[i].kind.bytes;
            } else {
                int bytes = from.get(INT, at);
                at += INT.byteSize();
                if (bytes != NULL) {
                    values[i] = codec.read(from.asSlice(at, bytes));
                    at += bytes;
                }
            }
        }
        try {
            return type.cast((Record) constructor.invokeExact(values));
        } catch (Throwable thrown) {
            throw unchecked(thrown);
        }
    }

    private static Object readNumber(Kind kind, MemorySegment from, long at) {
        return switch (kind) {
            case BOOLEAN -> from.get(ValueLayout.JAVA_BYTE, at) != 0;
            case BYTE -> from.get(ValueLayout.JAVA_BYTE, at);
            case SHORT -> readShort(from, at);
            case CHAR -> (char) readShort(from, at);
            case INT -> from.get(INT, at);
            case LONG -> from.get(LONG, at);
            case FLOAT -> Float.intBitsToFloat(from.get(INT, at));
            case DOUBLE -> Double.longBitsToDouble(from.get(LONG, at));
            case OTHER -> throw new AssertionError(kind);
        };
    }
}
