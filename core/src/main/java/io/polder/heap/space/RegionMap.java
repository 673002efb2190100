package io.polder.heap.space;

import io.polder.page.space.PageSpace;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Finds the region of an address.
 *
 * <pre>{@code
 *   address:  | 47 .. 34 : part | 33 .. 21 : granule | in the granule |
 *   parts[part] --> regions[granule] --> Region
 * }</pre>
 *
 * <p>A region of several granules stands at each of them. Parts are made on demand and stay.
 *
 * <p>Ordering: an entry is written before the first object of its region can be found, and cleared
 * after a grace period, when none can be. So readers need no order beyond that of the handle word.
 */
final class RegionMap {
    private static final int GRANULE_SHIFT = Long.numberOfTrailingZeros(PageSpace.GRANULE_BYTES);
    private static final int PART_BITS = 13;
    private static final int PARTS = 1 << 14;
    private static final int PART_SHIFT = GRANULE_SHIFT + PART_BITS;
    private static final VarHandle PART = MethodHandles.arrayElementVarHandle(Region[][].class);

    private final @Nullable Region[] @Nullable [] parts = new Region[PARTS][];

    /** The region of an address in it. */
    Region at(long address) {
        @Nullable Region[] part = parts[(int) (address >>> PART_SHIFT)];
        Region region =
                part == null
                        ? null
                        : part[(int) (address >>> GRANULE_SHIFT) & (1 << PART_BITS) - 1];
        if (region == null) {
            throw new AssertionError(
                    "every object is in a region: address=0x" + Long.toHexString(address));
        }
        return region;
    }

    void add(Region region) {
        set(region, region);
    }

    void remove(Region region) {
        set(region, null);
    }

    private void set(Region region, @Nullable Region entry) {
        for (long at = region.address(); at < region.address() + region.bytes(); ) {
            part((int) (at >>> PART_SHIFT))[(int) (at >>> GRANULE_SHIFT) & (1 << PART_BITS) - 1] =
                    entry;
            at += PageSpace.GRANULE_BYTES;
        }
    }

    private @Nullable Region[] part(int index) {
        @Nullable Region[] part = (Region[]) PART.getAcquire(parts, index);
        if (part == null) {
            part = new Region[1 << PART_BITS];
            Object witness = PART.compareAndExchange(parts, index, null, part);
            if (witness != null) {
                part = (Region[]) witness;
            }
        }
        return part;
    }
}
