package io.polder.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Linux memory of which a call that replaces a range is refused now and then: before the kernel
 * unmapped the range, or after it; and then a stranger may map there, at once or later, memory that
 * looks like ours. A thread that uses it looks from time to time that strangers have what they
 * wrote.
 *
 * <p>Not thread-safe, and so only for what one thread does.
 */
public final class HolingMemory {
    private static final int ONE_IN = 3;
    private static final int ERROR_ONE_IN = 10;
    private static final long OS_PAGE = AuxiliaryVector.osPageSize();

    private final SplittableRandom random;
    private final Calls calls = new Calls();
    private final LinuxMemoryProvider provider =
            LinuxProviders.with(calls, LinuxProviders.features());
    private final List<MemorySegment> strangers = new ArrayList<>();
    private final List<long[]> open = new ArrayList<>();
    private boolean healthy;
    private boolean errs;
    private int holes;
    private int met;

    public HolingMemory(SplittableRandom random) {
        this.random = random;
    }

    public MemoryProvider provider() {
        return provider;
    }

    /** From now on calls are cut short as well, before they are made. */
    public void haveErrors() {
        errs = true;
    }

    /** How many holes were made so far. */
    public int holes() {
        return holes;
    }

    /** How many strangers have come so far. */
    public int met() {
        return met;
    }

    private final class Calls extends LinuxCalls {
        @Override
        long mmap(long address, long bytes, int protection, int flags) {
            mayErr();
            if ((flags & LinuxConstants.MAP_FIXED_NOREPLACE) != 0) {
                strangersCome();
                return refuses() ? -Errno.ENOMEM : super.mmap(address, bytes, protection, flags);
            }
            if ((flags & LinuxConstants.MAP_FIXED) != 0 && refuses()) {
                return unmap(address, bytes);
            }
            return super.mmap(address, bytes, protection, flags);
        }

        @Override
        long mremap(long from, long to, long bytes, int flags) {
            mayErr();
            if ((flags & LinuxConstants.MREMAP_FIXED) != 0 && refuses()) {
                return unmap(to, bytes);
            }
            return super.mremap(from, to, bytes, flags);
        }

        @Override
        long munmap(long address, long bytes) {
            mayErr();
            return super.munmap(address, bytes);
        }

        private void mayErr() {
            if (errs && !healthy && random.nextInt(ERROR_ONE_IN) == 0) {
                throw new OutOfMemoryError("a test");
            }
        }

        private boolean refuses() {
            return !healthy && random.nextInt(ONE_IN) == 0;
        }

        private long unmap(long address, long bytes) {
            if (random.nextInt(3) > 0) {
                assertThat(super.munmap(address, bytes)).isZero();
                open.add(new long[] {address, bytes});
                holes++;
                if (random.nextInt(3) == 0) {
                    strangersCome();
                }
            }
            return -Errno.ENOMEM;
        }

        long mapStranger(long address, long bytes) {
            int access = LinuxConstants.PROT_READ | LinuxConstants.PROT_WRITE;
            int flags = LinuxConstants.MAP_PRIVATE | LinuxConstants.MAP_ANONYMOUS;
            int place = LinuxConstants.MAP_FIXED_NOREPLACE | LinuxConstants.MAP_NORESERVE;
            return super.mmap(address, bytes, access, flags | place);
        }
    }

    /** Strangers map somewhere in what is unmapped, all of it or a part. */
    private void strangersCome() {
        for (long[] hole : open) {
            if (healthy || random.nextInt(3) > 0) {
                continue;
            }
            long pages = hole[1] / OS_PAGE;
            long first = random.nextBoolean() ? 0 : random.nextLong(pages);
            long count = random.nextBoolean() ? pages - first : 1 + random.nextLong(pages - first);
            long address = hole[0] + first * OS_PAGE;
            if (calls.mapStranger(address, count * OS_PAGE) == address) {
                MemorySegment stranger = NativeAccess.view(address, count * OS_PAGE);
                stranger.fill(mark(stranger));
                strangers.add(stranger);
                met++;
            }
        }
    }

    private static byte mark(MemorySegment stranger) {
        return (byte) (stranger.address() / OS_PAGE | 1);
    }

    /** Looks that no call was made on what strangers have. */
    public void checkStrangers() {
        for (MemorySegment each : strangers) {
            long mapped =
                    ProcessCheck.overlapping(each.address(), each.byteSize()).stream()
                            .mapToLong(
                                    one ->
                                            Math.min(one.end(), each.address() + each.byteSize())
                                                    - Math.max(one.start(), each.address()))
                            .sum();
            assertThat(mapped).as("still mapped: %s", each).isEqualTo(each.byteSize());
            byte[] expected = new byte[Math.toIntExact(each.byteSize())];
            MemorySegment same = MemorySegment.ofArray(expected).fill(mark(each));
            assertThat(each.mismatch(same)).as("as written: %s", each).isEqualTo(-1);
        }
    }

    /** Looks that a range is mapped, and that no stranger has a part of it. */
    public void checkOurs(long address, long bytes) {
        assertThat(strangers)
                .noneMatch(
                        each ->
                                each.address() < address + bytes
                                        && address < each.address() + each.byteSize());
        long at = address;
        for (ProcessCheck.Mapping each : ProcessCheck.overlapping(address, bytes)) {
            assertThat(each.start()).isLessThanOrEqualTo(at);
            assertThat(each.permissions()).isEqualTo("rw-p");
            at = each.end();
        }
        assertThat(at).isGreaterThanOrEqualTo(address + bytes);
    }

    /** Strangers leave, and nothing is refused any more. */
    public void heal() {
        checkStrangers();
        healthy = true;
        for (MemorySegment each : strangers) {
            assertThat(calls.munmap(each.address(), each.byteSize())).isZero();
        }
        strangers.clear();
    }
}
