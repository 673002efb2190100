package io.polder;

import io.polder.arena.GrowthPolicy;

/**
 * A hint how much memory most arenas of a pool will hold. Only a hint: an arena that does otherwise
 * gets other chunks, and no size is refused because of it.
 */
public enum OwnerSize {
    /**
     * A few KiB, or not known. Arenas that outgrow what their thread keeps at hand begin with
     * chunks of 1 KiB, and several share an OS page.
     */
    TINY,

    /** Tens of KiB and more: no two arenas share an OS page, except by what a thread keeps. */
    STANDARD,

    /** Megabytes: chunks of 256 KiB at least, of which the part that is used gets memory. */
    LARGE;

    GrowthPolicy growth() {
        return GrowthPolicy.valueOf(name());
    }
}
