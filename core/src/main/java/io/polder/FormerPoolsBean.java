package io.polder;

import java.util.List;

/** The MXBean of the pools that are gone. Thread-safe. */
final class FormerPoolsBean implements FormerPoolsMXBean {
    FormerPoolsBean() {}

    @Override
    public List<FormerPool> getPools() {
        return OpenPools.INSTANCE.formerPools();
    }

    @Override
    public long getForgotten() {
        return OpenPools.INSTANCE.former().forgotten();
    }

    @Override
    public String report() {
        return OpenPools.INSTANCE.formerReport();
    }
}
