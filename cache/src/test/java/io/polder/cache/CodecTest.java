package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.io.InvalidClassException;
import java.io.ObjectInputFilter;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

class CodecTest {
    record Point(int x, long y) {}

    @SuppressWarnings("ArrayRecordComponent") // what is tested
    record Person(
            long id,
            @Nullable String name,
            byte @Nullable [] picture,
            @Nullable Point home,
            boolean active,
            byte small,
            short shorter,
            char letter,
            float weight,
            double height) {}

    record Wrong(Object thing) {}

    record Hen(int weight, Egg egg) {}

    record Egg(Hen hen) {}

    record Line(Point from, Point to) {}

    record Measure(float a, double b) {}

    private record Hidden(int x) {}

    private record Holder(Serializable thing) implements Serializable {}

    private static final List<BigDecimal> NINE =
            IntStream.range(0, 9).mapToObj(BigDecimal::valueOf).toList();

    private static <T> T through(Codec<T> codec, T value) {
        MemorySegment bytes = MemorySegment.ofArray(new byte[Math.toIntExact(codec.size(value))]);
        codec.write(value, bytes);
        return codec.read(bytes.asReadOnly());
    }

    /** What a look-up of a cache does, in arrays that have other bytes around. */
    private static <T> void assertSameInArrays(Codec<T> codec, T value) {
        PlainCodec<T> plain = (PlainCodec<T>) codec;
        int bytes = Math.toIntExact(codec.size(value));
        byte[] ofSegment = new byte[bytes];
        codec.write(value, MemorySegment.ofArray(ofSegment));
        byte[] array = new byte[bytes + 20];
        Arrays.fill(array, (byte) 77);

        plain.write(value, array, bytes);

        assertThat(Arrays.copyOf(array, bytes)).isEqualTo(ofSegment);
        assertThat(Arrays.copyOfRange(array, bytes, array.length)).containsOnly(77);
        System.arraycopy(ofSegment, 0, array, 9, bytes);
        assertThat(plain.read(array, 9, bytes)).isEqualTo(value);
    }

    @Test
    void arrays_haveTheBytesThatSegmentsHave() {
        assertSameInArrays(Codec.longs(), 0x0102_0304_0506_0708L);
        assertSameInArrays(Codec.ints(), -5);
        assertSameInArrays(Codec.bytes(), new byte[] {1, 2, 3});
        assertSameInArrays(Codec.bytes(), new byte[0]);
        assertSameInArrays(Codec.strings(), "h\u00e4user");
        assertSameInArrays(Codec.strings(), "\u20ac");
        assertSameInArrays(Codec.records(Point.class), new Point(3, 4));
        PlainCodec<Long> longs = (PlainCodec<Long>) Codec.longs();
        assertThatThrownBy(() -> longs.read(new byte[20], 0, 7)) // and not what lies behind them
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void strings_ofAnyCharacters_comeBack() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int i = 0; i < 2000; i++) {
            StringBuilder text = new StringBuilder();
            int most = random.nextBoolean() ? 0x100 : 0x10000;
            for (int length = random.nextInt(50); length > 0; length--) {
                text.append((char) random.nextInt(most));
            }
            String value = text.toString();
            assertThat(through(Codec.strings(), value)).as("seed=%s", seed).isEqualTo(value);
        }
        assertThat(Codec.strings().size("h\u00e4user")).isEqualTo(7);
        assertThat(Codec.strings().size("\u20ac")).isEqualTo(3);
    }

    @Test
    void numbersAndBytes_comeBack() {
        assertThat(through(Codec.longs(), Long.MIN_VALUE + 5)).isEqualTo(Long.MIN_VALUE + 5);
        assertThat(through(Codec.ints(), -7)).isEqualTo(-7);
        assertThat(through(Codec.bytes(), new byte[] {1, 2, 3})).containsExactly(1, 2, 3);
    }

    @Test
    void records_equalOnes_haveTheSameBytes() {
        Codec<Measure> codec = Codec.records(Measure.class);
        Measure one = new Measure(Float.NaN, Double.NaN);
        Measure other =
                new Measure(Float.intBitsToFloat(0xffc0_0001), Double.longBitsToDouble(-1L));
        assertThat(other).isEqualTo(one);
        MemorySegment first = MemorySegment.ofArray(new byte[codec.fixedBytes()]);
        MemorySegment second = MemorySegment.ofArray(new byte[codec.fixedBytes()]);
        codec.write(one, first);
        codec.write(other, second);
        assertThat(first.mismatch(second)).isEqualTo(-1);
    }

    @Test
    void records_ofAllComponents_comeBack() {
        Codec<Person> codec = Codec.records(MethodHandles.lookup(), Person.class);
        Person all =
                new Person(
                        -1,
                        "name",
                        new byte[] {4},
                        new Point(3, 4),
                        true,
                        (byte) -2,
                        (short) -3,
                        '\u20ac',
                        -1.5f,
                        Double.MIN_VALUE);
        Person read = through(codec, all);
        assertThat(read).usingRecursiveComparison().isEqualTo(all);
        Person nulls = new Person(0, null, null, null, false, (byte) 0, (short) 0, 'a', 0f, -0.0);
        assertThat(through(codec, nulls)).isEqualTo(nulls);
        assertThat(Codec.records(Point.class).fixedBytes()).isEqualTo(12);
        assertThat(through(Codec.records(Point.class), new Point(1, -1)))
                .isEqualTo(new Point(1, -1));
        assertThat(through(Codec.records(MethodHandles.lookup(), Hidden.class), new Hidden(3)))
                .isEqualTo(new Hidden(3));
    }

    @Test
    void records_withOtherComponents_areRefused() {
        assertThatThrownBy(() -> Codec.records(Wrong.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Wrong.thing is a java.lang.Object");
    }

    @Test
    void records_thatContainEachOther_areRefused() {
        assertThatThrownBy(() -> Codec.records(Hen.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Egg.hen is a io.polder.cache.CodecTest$Hen");
        Line line = new Line(new Point(1, 2), new Point(3, 4));
        assertThat(through(Codec.records(Line.class), line)).isEqualTo(line);
    }

    @Test
    void javaSerialization_readsWhatTheFilterAllows() {
        ObjectInputFilter strings =
                ObjectInputFilter.Config.createFilter("io.polder.cache.*;java.lang.*;!*");
        Codec<Holder> codec = Codec.javaSerialization(Holder.class, strings);
        assertThat(through(codec, new Holder("text")).thing).isEqualTo("text");
        Codec<Holder> all =
                Codec.javaSerialization(Holder.class, _ -> ObjectInputFilter.Status.UNDECIDED);
        for (Serializable each : List.of(new BitSet(), new BitSet[1], new BigDecimal[0][0])) {
            Holder refused = new Holder(each);
            String said = each instanceof BigDecimal[][] ? "BigDecimal" : "BitSet";
            assertThatThrownBy(() -> codec.size(refused))
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessageContaining(said)
                    .hasMessageContaining("must allow the class of what is written");
            MemorySegment bytes =
                    MemorySegment.ofArray(new byte[Math.toIntExact(all.size(refused))]);
            all.write(refused, bytes);
            assertThatThrownBy(() -> codec.read(bytes))
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessageContaining(said)
                    .hasMessageContaining("must allow what is read")
                    .hasRootCauseInstanceOf(InvalidClassException.class);
        }
    }

    /** Only the class of the whole is at depth 1 when it is read, and so when it is written. */
    @Test
    void javaSerialization_asksOfTheWholeAndOfItsParts() {
        Codec<Holder> codec =
                Codec.javaSerialization(
                        Holder.class,
                        info ->
                                info.depth() == 1 && info.serialClass() != Holder.class
                                        ? ObjectInputFilter.Status.REJECTED
                                        : ObjectInputFilter.Status.ALLOWED);
        BigDecimal part = BigDecimal.valueOf(7);
        assertThat(through(codec, new Holder(part)).thing).isEqualTo(part);
        Codec<BigDecimal> other =
                Codec.javaSerialization(
                        BigDecimal.class, ObjectInputFilter.Config.createFilter("maxdepth=1"));
        assertThatThrownBy(() -> other.size(part)).hasMessageContaining("java.lang.Number");
    }

    /** Sizes are asked when it is read, and only then. */
    @Test
    void javaSerialization_readsNoMoreThanTheFilterAllows() {
        Codec<Holder> codec =
                Codec.javaSerialization(
                        Holder.class, ObjectInputFilter.Config.createFilter("maxarray=3"));
        assertThat(through(codec, new Holder(new int[3])).thing).isEqualTo(new int[3]);
        assertThatThrownBy(() -> through(codec, new Holder(new int[4])))
                .hasMessageContaining("[I")
                .hasMessageContaining("arrayLength=4");
        Codec<Holder> few =
                Codec.javaSerialization(
                        Holder.class, ObjectInputFilter.Config.createFilter("maxrefs=9"));
        assertThatThrownBy(() -> through(few, new Holder(new ArrayList<>(NINE))))
                .hasMessageContaining("references=10");
    }
}
