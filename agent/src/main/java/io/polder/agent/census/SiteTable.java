package io.polder.agent.census;

import io.polder.agent.rewrite.CallSite;
import io.polder.agent.rewrite.CallSites;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The call sites that were met, by number. The first two numbers are for those that come when the
 * table is full: confined arenas, shared arenas.
 *
 * <p>Thread-safe.
 */
final class SiteTable implements CallSites {
    /** What is not told apart. */
    private static final String OTHERS = "(others)";

    private final int max;
    private final Map<CallSite, Integer> numbers = new HashMap<>();
    private final List<CallSite> sites = new ArrayList<>();

    /** Tells so many call sites apart. */
    SiteTable(int max) {
        this.max = max;
        sites.add(new CallSite(OTHERS, "", 0, true));
        sites.add(new CallSite(OTHERS, "", 0, false));
    }

    @Override
    public synchronized int number(CallSite site) {
        Integer known = numbers.get(site);
        if (known != null) {
            return known;
        }
        if (numbers.size() == max) {
            return site.confined() ? 0 : 1;
        }
        int number = sites.size();
        sites.add(site);
        numbers.put(site, number);
        return number;
    }

    int max() {
        return max;
    }

    synchronized CallSite site(int number) {
        return sites.get(number);
    }

    synchronized int count() {
        return sites.size();
    }

    /** Where arenas are opened, as in a stack trace. */
    static String place(CallSite site) {
        return site.type().equals(OTHERS) ? OTHERS : site.place();
    }
}
