package io.polder.lab.experiments.elasticity;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Memory of the JDK that writes down who was opened and closed, and by which thread. */
final class RecordingMemory implements OwnedMemory {
    final List<Integer> opened = Collections.synchronizedList(new ArrayList<>());
    final List<Integer> closed = Collections.synchronizedList(new ArrayList<>());
    final List<Integer> allocatedBy = Collections.synchronizedList(new ArrayList<>());
    final Map<Integer, Set<String>> threads = Collections.synchronizedMap(new HashMap<>());
    final Map<Integer, Long> bytes = Collections.synchronizedMap(new HashMap<>());

    private final Arena arena = Arena.ofShared();

    @Override
    public void open(int owner) {
        opened.add(owner);
        seen(owner);
    }

    @Override
    public long allocate(int owner, long size) {
        allocatedBy.add(owner);
        bytes.merge(owner, size, Long::sum);
        seen(owner);
        return arena.allocate(size, ALIGNMENT).address();
    }

    @Override
    public void close(int owner) {
        closed.add(owner);
        seen(owner);
    }

    @Override
    public void close() {
        arena.close();
    }

    private void seen(int owner) {
        threads.computeIfAbsent(owner, _ -> new HashSet<>()).add(Thread.currentThread().getName());
    }
}
