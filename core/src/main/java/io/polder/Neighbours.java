package io.polder;

import io.polder.block.Surroundings;
import io.polder.event.Printable;

/**
 * What pools have around the blocks of one, for messages.
 *
 * @param own the pool whose blocks these are
 */
record Neighbours(PoolMemory own) implements Surroundings {
    @Override
    public String at(long address) {
        String ours = own.whatIsAt(address);
        if (ours != null) {
            return ours + " of this pool";
        }
        for (PoolMemory each : OpenPools.INSTANCE.reachable()) {
            String theirs = each.whatIsAt(address);
            if (theirs != null) {
                return theirs + " of pool " + Printable.of(each.name());
            }
        }
        return "";
    }
}
