package io.polder.tools.live;

import io.polder.tools.terminal.Printable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import javax.management.openmbean.CompositeData;

/**
 * What pools of a running JVM left that are gone: closed, or unreachable.
 *
 * <p>As text, pools of one name are told of together.
 *
 * @param pools the last few that left leaks, the latest first
 * @param forgotten how many there were before those
 */
record FormerLeaks(List<Pool> pools, long forgotten) {
    /** None. */
    static final FormerLeaks NONE = new FormerLeaks(List.of(), 0);

    /** Copies the list. */
    FormerLeaks {
        pools = List.copyOf(pools);
    }

    /**
     * A pool that is gone.
     *
     * @param name how the JVM called it
     * @param number its number among those of its name, 1 for the first
     * @param leaks what it left
     */
    record Pool(String name, long number, LeakSites leaks) {
        static Pool of(CompositeData data) {
            return new Pool(
                    OpenData.word(data, "name"),
                    OpenData.number(data, "number"),
                    LeakSites.of(data));
        }

        private String label() {
            return PoolLabel.of(name, number);
        }

        /** The name and the number, as a pool is asked for. */
        String numberedName() {
            return name + " #" + number;
        }

        private Map<String, Object> json() {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("name", name);
            if (number > 1) {
                map.put("number", number);
            }
            map.putAll(leaks.formerJson());
            return map;
        }
    }

    /** These, and those of another copy of the library. */
    FormerLeaks plus(FormerLeaks more) {
        List<Pool> both = new ArrayList<>(pools);
        both.addAll(more.pools);
        return new FormerLeaks(both, forgotten + more.forgotten);
    }

    boolean isEmpty() {
        return pools.isEmpty();
    }

    /**
     * For people; empty if there are none.
     *
     * @param frames how many of each stack are shown
     */
    String text(int frames) {
        if (isEmpty()) {
            return "";
        }
        StringBuilder out = new StringBuilder("\nFormer pools, closed or unreachable, that left");
        out.append(" leaks: ").append(pools.size() + forgotten).append('\n');
        Map<String, List<Pool>> byName = new LinkedHashMap<>();
        pools.forEach(pool -> byName.computeIfAbsent(pool.name, _ -> new ArrayList<>()).add(pool));
        byName.forEach((name, some) -> write(out, some, frames));
        if (forgotten > 0) {
            out.append('\n').append(forgotten).append(" before them, which are not remembered\n");
        }
        return out.toString();
    }

    /** Pools of one name together: there may be one for each request, all with the same leaks. */
    private static void write(StringBuilder out, List<Pool> some, int frames) {
        Pool last = some.getFirst();
        out.append("\nFormer pool ");
        out.append(
                some.size() == 1
                        ? last.label()
                        : Printable.of(last.name) + ", " + some.size() + " of this name");
        LeakSites all = some.stream().map(Pool::leaks).reduce(LeakSites::plus).orElse(last.leaks);
        out.append('\n').append(all.formerText(frames));
    }

    /** For programs, the pools alone. */
    List<Map<String, Object>> json() {
        return pools.stream().map(Pool::json).toList();
    }
}
