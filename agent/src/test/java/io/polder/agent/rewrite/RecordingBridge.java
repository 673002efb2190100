package io.polder.agent.rewrite;

import java.lang.constant.ClassDesc;
import java.util.ArrayList;
import java.util.List;

/** A bridge that defines nothing and remembers what it was asked for. */
final class RecordingBridge implements Bridge {
    static final ClassDesc BRIDGE = ClassDesc.of("java.lang.foreign.PolderArenas");

    final List<CallSite> references = new ArrayList<>();

    @Override
    public ClassDesc bridge() {
        return BRIDGE;
    }

    @Override
    public ClassDesc reference(CallSite site, int number) {
        references.add(site);
        return ClassDesc.of("java.lang.foreign.PolderCallSite" + number);
    }
}
