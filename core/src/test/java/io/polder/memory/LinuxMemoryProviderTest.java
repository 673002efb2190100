package io.polder.memory;

import static io.polder.memory.MemoryProvider.REMAP_GRANULE_BYTES;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What the kernel really does: memory behind a range, mappings of a range, advice on a range. */
@EnabledOnOs(OS.LINUX)
class LinuxMemoryProviderTest {

    private static final long GRANULE = REMAP_GRANULE_BYTES;
    private static final long BYTES = 64 * GRANULE;

    private final LinuxMemoryProvider provider = LinuxProviders.all();
    private final long page = provider.osPageSize();
    private long address;

    @BeforeEach
    void reserve() {
        address = provider.reserve(BYTES, GRANULE);
        // Elsewhere huge pages may be on for everybody, and one touch brings in a whole granule.
        assertThat(provider.adviseHugePages(address, BYTES, false)).isTrue();
    }

    @AfterEach
    void release() {
        provider.release(address, BYTES);
    }

    @Test
    void features_thisKernel_areReported() {
        LinuxFeatures features = provider.features;
        System.out.printf("features of this kernel: dontUnmap=%s%n", features.dontUnmap());
        assertThat(provider.name()).isEqualTo("linux");
        assertThat(provider.canUncommit()).isTrue();
        assertThat(provider.canRemap()).isEqualTo(features.dontUnmap());
    }

    @Test
    void reserve_any_isOneAccessibleMappingWithoutMemory() {
        List<ProcessCheck.Mapping> mappings = ProcessCheck.overlapping(address, BYTES);
        assertThat(mappings).hasSize(1);
        assertThat(mappings.getFirst().permissions()).isEqualTo("rw-p");
        assertThat(resident(address, BYTES)).isZero();
    }

    @Test
    @RealKernel // an emulator's table of pages would be gigabytes
    void reserve_aTebibyte_costsNoMemory() {
        long tebibyte = 1L << 40;
        long large = provider.reserve(tebibyte, GRANULE);
        NativeAccess.view(large, tebibyte).set(ValueLayout.JAVA_BYTE, tebibyte - 1, (byte) 1);
        assertThat(resident(large + tebibyte - GRANULE, GRANULE)).isPositive();
        provider.release(large, tebibyte);
    }

    @Test
    void release_whole_unmaps() {
        long gibibyte = 1L << 30;
        long before = ProcessCheck.mappedBytes();
        for (int i = 0; i < 20; i++) {
            long reserved = provider.reserve(gibibyte, gibibyte);
            NativeAccess.view(reserved, page).fill((byte) 1);
            provider.release(reserved, gibibyte);
        }
        // Other threads of the JVM map a little meanwhile.
        assertThat(ProcessCheck.mappedBytes()).isLessThan(before + 10 * gibibyte);
    }

    @Test
    @RealKernel // populating does nothing in an emulator
    void populate_untouched_putsMemoryBehindEveryPage() {
        provider.populate(address, 8 * page);
        assertThat(resident(address, BYTES)).isEqualTo(8 * page);
    }

    @Test
    @RealKernel // populating does nothing in an emulator
    void uncommit_everySecondPage_givesMemoryBackInOneMapping() {
        int pages = 2048;
        long[] addresses = new long[pages / 2];
        long[] sizes = new long[pages / 2];
        for (int i = 0; i < addresses.length; i++) {
            addresses[i] = address + 2L * i * page;
            sizes[i] = page;
        }
        // The rest of the process may grow meanwhile, as when the collector takes memory: then once
        // more.
        long shrunk = 0;
        for (int i = 0; i < 50 && shrunk <= pages / 4 * page; i++) {
            provider.populate(address, pages * page);
            long before = ProcessCheck.rssBytes().orElseThrow();
            provider.uncommit(addresses, sizes, addresses.length);
            shrunk = before - ProcessCheck.rssBytes().orElseThrow();
            assertThat(resident(address, BYTES)).isEqualTo(pages / 2 * page);
        }
        assertThat(shrunk).isGreaterThan(pages / 4 * page);
        assertThat(ProcessCheck.overlapping(address, BYTES)).hasSize(1);
        provider.uncommit(address, BYTES);
        assertThat(resident(address, BYTES)).isZero();
    }

    @Test
    @RealKernel // populating does nothing in an emulator
    void uncommit_lockedMemory_isRefusedAndStays() throws Throwable {
        NativeAccess.view(address, page).fill((byte) 7);
        assertThat(lock("mlock", address, page)).isZero();
        assertThatExceptionOfType(OsCallException.class)
                .isThrownBy(() -> provider.uncommit(address, page))
                .withMessage(
                        "the operating system must carry out madvise(MADV_DONTNEED): errno=EINVAL"
                                + " (22), address=0x"
                                + Long.toHexString(address)
                                + ", bytes="
                                + page
                                + ", done=0");
        assertThat(NativeAccess.view(address, page).get(ValueLayout.JAVA_BYTE, 0))
                .isEqualTo((byte) 7);
        assertThat(provider.givesBack()).as("all that is not locked").isTrue();

        long[] addresses = {address + 2 * page, address + 4 * page, address, address + 6 * page};
        long[] sizes = {page, page, page, page};
        provider.populate(address, 8 * page);
        assertThatExceptionOfType(OsCallException.class)
                .isThrownBy(() -> provider.uncommit(addresses, sizes, 4))
                .withMessageContaining("address=0x" + Long.toHexString(address))
                .matches(e -> e.done() == 2);
        assertThat(resident(address, 8 * page)).isEqualTo(6 * page);

        assertThat(lock("munlock", address, page)).isZero();
        provider.uncommit(addresses, sizes, 4);
        assertThat(resident(address, 8 * page)).isEqualTo(4 * page);
    }

    @Test
    void remap_resident_movesPagesAndKeepsTheSourceMapped() {
        MovableMemory.assume();
        long to = address + 32 * GRANULE;
        provider.populate(address, 16 * GRANULE);
        NativeAccess.view(address, 16 * GRANULE).fill((byte) 3);
        provider.remap(address, to, 16 * GRANULE);
        assertThat(resident(address, 16 * GRANULE)).isZero();
        assertThat(resident(to, 16 * GRANULE)).isEqualTo(16 * GRANULE);
        assertThat(ProcessCheck.overlapping(address, 16 * GRANULE)).isNotEmpty();
        assertThat(NativeAccess.view(address, GRANULE).get(ValueLayout.JAVA_BYTE, 5)).isZero();
    }

    @Test
    void remap_sixteenGranules_movesContentsAndEmptiesTheSource() {
        MovableMemory.assume();
        shuffle(LinuxProviders.all());
        shuffle(LinuxProviders.withLargestPage());
    }

    private static void shuffle(LinuxMemoryProvider provider) {
        int count = 16;
        long bytes = count * GRANULE;
        long from = provider.reserve(bytes, GRANULE);
        long to = provider.reserve(bytes, GRANULE);
        for (int i = 0; i < count; i++) {
            // Scattered: the target holds the granules in reverse.
            stamp(from + i * GRANULE, i + 1);
        }
        for (int i = 0; i < count; i++) {
            long target = to + (count - 1 - i) * GRANULE;
            provider.remap(from + i * GRANULE, target, GRANULE);
        }
        for (int i = 0; i < count; i++) {
            assertStamp(from + i * GRANULE, 0);
            assertStamp(to + (count - 1 - i) * GRANULE, i + 1);
        }
        // Back in one call, from a source that is as many mappings as granules.
        provider.remap(to, from, bytes);
        for (int i = 0; i < count; i++) {
            assertStamp(from + i * GRANULE, count - i);
            assertStamp(to + i * GRANULE, 0);
        }
        stamp(to, 99);
        assertStamp(to, 99);
        provider.release(from, bytes);
        provider.release(to, bytes);
    }

    /** Writes a number into the first and the last word of a granule. */
    private static void stamp(long address, long value) {
        MemorySegment granule = NativeAccess.view(address, GRANULE);
        granule.set(ValueLayout.JAVA_LONG, 0, value);
        granule.set(ValueLayout.JAVA_LONG, GRANULE - Long.BYTES, value);
    }

    private static void assertStamp(long address, long value) {
        MemorySegment granule = NativeAccess.view(address, GRANULE);
        assertThat(granule.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(value);
        assertThat(granule.get(ValueLayout.JAVA_LONG, GRANULE - Long.BYTES)).isEqualTo(value);
    }

    @Test
    void renew_afterScatteredRemaps_isOneMappingAgain() {
        MovableMemory.assume();
        long to = address + 32 * GRANULE;
        for (int i = 0; i < 16; i++) {
            long from = address + 2L * i * GRANULE;
            provider.populate(from, page);
            provider.remap(from, to + i * GRANULE, GRANULE);
        }
        assertThat(ProcessCheck.overlapping(to, 16 * GRANULE)).hasSizeGreaterThanOrEqualTo(16);
        provider.renew(to, 16 * GRANULE);
        assertThat(provider.adviseHugePages(to, 16 * GRANULE, false)).isTrue();
        assertThat(ProcessCheck.overlapping(to, 16 * GRANULE)).hasSize(1);
        assertThat(ProcessCheck.overlapping(address, BYTES)).hasSizeLessThanOrEqualTo(2);
        assertThat(resident(to, 16 * GRANULE)).isZero();
    }

    @Test
    @RealKernel // an emulator keeps no advice
    void adviseHugePages_eitherWay_isKeptByTheKernel() throws IOException {
        assertThat(flags()).contains("nh").doesNotContain("hg");
        assertThat(provider.adviseHugePages(address, BYTES, true)).isTrue();
        assertThat(flags()).contains("hg").doesNotContain("nh");
    }

    @Test
    void residentBytes_pageLargerThanTheKernels_countsWhatTheKernelCounts() {
        LinuxMemoryProvider largest = LinuxProviders.withLargestPage();
        long start = largest.reserve(GRANULE, GRANULE);
        boolean _ = largest.adviseHugePages(start, GRANULE, false);
        NativeAccess.view(start, GRANULE / 2).fill((byte) 1);
        assertThat(largest.residentBytes(start, GRANULE)).isEqualTo(GRANULE / 2);
        assertThat(largest.residentBytes(start + GRANULE / 2, GRANULE / 2)).isZero();
        largest.release(start, GRANULE);
    }

    /** The flags of the mapping at the reservation, as in {@code rd wr mr mw me nr}. */
    private List<String> flags() throws IOException {
        boolean inside = false;
        for (String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
            if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
                ProcessCheck.Mapping mapping = ProcessCheck.Mapping.parse(line);
                inside = mapping.overlaps(address, 1);
            } else if (inside && line.startsWith("VmFlags:")) {
                return List.of(line.substring("VmFlags:".length()).trim().split(" ", -1));
            }
        }
        return List.of();
    }

    private long resident(long start, long bytes) {
        return ProcessMemory.residentBytes(start, bytes).orElseThrow();
    }

    /** Locks or unlocks memory, which no provider does. */
    @SuppressWarnings("restricted")
    private static int lock(String function, long start, long bytes) throws Throwable {
        Linker linker = Linker.nativeLinker();
        return (int)
                linker.downcallHandle(
                                linker.defaultLookup().findOrThrow(function),
                                FunctionDescriptor.of(
                                        ValueLayout.JAVA_INT,
                                        ValueLayout.JAVA_LONG,
                                        ValueLayout.JAVA_LONG))
                        .invokeExact(start, bytes);
    }
}
