package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.SplittableRandom;

/** Counters of the keys of two buckets. */
class SketchLayoutTest extends CacheFixture {
    private static final long LINE = 2;
    private static final int SLOTS = 28;

    /** A step of the hash that changes the fingerprint and nothing else. */
    private static final long PRINT = 1L << 45;

    private Lines lines;

    @BeforeEach
    void makeLine() {
        lines = new Lines(pool);
        lines.ensureUpper(LINE + 1);
    }

    @AfterEach
    void closeLine() {
        lines.close();
    }

    private void add(long hash, int times) {
        for (int i = 0; i < times; i++) {
            long _ = SketchLayout.add(lines.chunkOf(LINE), Lines.offset(LINE), hash);
        }
    }

    private int count(long hash) {
        return SketchLayout.count(lines.chunkOf(LINE), Lines.offset(LINE), hash);
    }

    @Test
    void count_asManyKeysAsSlots_isExact() {
        SplittableRandom random = new SplittableRandom(1);
        int[] counts = new int[SLOTS + 1];
        for (int i = 0; i < 200; i++) {
            int key = 1 + random.nextInt(SLOTS);
            add(key * PRINT, 1);
            counts[key] = Math.min(counts[key] + 1, SketchLayout.COUNT_MAX);
        }
        for (int key = 1; key <= SLOTS; key++) {
            assertThat(count(key * PRINT)).as("key=%d", key).isEqualTo(counts[key]);
        }
    }

    @Test
    void add_manyKeysOnce_displacesNoneThatWasCountedTwice() {
        for (int key = 0; key < SLOTS - 1; key++) {
            add(key * PRINT, 2 + key % 14);
        }
        for (int key = SLOTS; key < 2000; key++) {
            add(key * PRINT, 1);
            assertThat(count(key * PRINT)).as("key=%d", key).isOne();
        }
        for (int key = 0; key < SLOTS - 1; key++) {
            assertThat(count(key * PRINT)).as("key=%d", key).isEqualTo(2 + key % 14);
        }
    }

    @Test
    void add_noSlotThatWasCountedOnce_takesOneAfterSomeWereAsked() {
        for (int key = 0; key < SLOTS; key++) {
            add(key * PRINT, 2);
        }
        add(100 * PRINT, 1);
        assertThat(count(100 * PRINT)).isZero();
        assertThat(count(0)).isOne();
        add(100 * PRINT, 1);
        assertThat(count(100 * PRINT)).isOne();
        assertThat(count(0)).isZero();
    }

    @Test
    void count_keyOfTheOtherBucket_isAnother() {
        add(7 * PRINT, 5);
        assertThat(count(7 * PRINT)).isEqualTo(5);
        assertThat(count(7 * PRINT | 1)).isZero();
    }

    @Test
    void halve_halvesCountsAndWhatWasCounted() {
        for (int key = 0; key < 15; key++) {
            add(key * PRINT, key + 1);
        }
        long added = SketchLayout.add(lines.chunkOf(LINE), Lines.offset(LINE), 1000 * PRINT);
        assertThat(added).isEqualTo(121);
        SketchLayout.halve(lines.chunkOf(LINE), Lines.offset(LINE), added);
        for (int key = 0; key < 15; key++) {
            assertThat(count(key * PRINT)).as("key=%d", key).isEqualTo((key + 1) / 2);
        }
        assertThat(SketchLayout.add(lines.chunkOf(LINE), Lines.offset(LINE), 0)).isEqualTo(61);
        add(14 * PRINT, 100);
        assertThat(SketchLayout.add(lines.chunkOf(LINE), Lines.offset(LINE), 14 * PRINT)).isZero();
        assertThat(count(14 * PRINT)).isEqualTo(SketchLayout.COUNT_MAX);
    }
}
