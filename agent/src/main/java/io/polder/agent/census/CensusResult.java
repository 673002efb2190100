package io.polder.agent.census;

import io.polder.agent.rewrite.CallSite;
import io.polder.agent.rewrite.Outcomes;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * What a census counted.
 *
 * @param millis how long it ran
 * @param sites call sites that opened an arena, the busiest first
 * @param confined sum of those of confined arenas
 * @param shared sum of those of shared arenas
 * @param all sum of both
 */
public record CensusResult(long millis, List<Site> sites, Row confined, Row shared, Row all) {
    /**
     * A call site.
     *
     * @param site where
     * @param counts what
     * @param verdict whether pooling serves it
     */
    record Site(CallSite site, Row counts, Verdict verdict) implements Comparable<Site> {
        /** The busiest first. */
        @Override
        public int compareTo(Site other) {
            int order = Long.compare(other.counts.openedCount(), counts.openedCount());
            return order != 0 ? order : site.toString().compareTo(other.site.toString());
        }
    }

    static CensusResult of(Rows rows, SiteTable table, long millis) {
        List<Site> sites = new ArrayList<>();
        Row confined = new Row(false);
        Row shared = new Row(false);
        for (int number = 0; number < table.count(); number++) {
            Row counts = rows.row(number);
            if (counts.openedCount() != 0 || counts.closedCount() != 0) {
                CallSite site = table.site(number);
                // Before they are added: each site has its own.
                counts.addOpened();
                counts.spreadLifetimes();
                counts.addTo(site.confined() ? confined : shared);
                sites.add(new Site(site, counts, Verdict.of(site.confined(), counts)));
            }
        }
        Collections.sort(sites);
        Row all = new Row(false);
        confined.addTo(all);
        shared.addTo(all);
        return new CensusResult(millis, List.copyOf(sites), confined, shared, all);
    }

    /**
     * How many of the closed arenas that allocated have their memory from a pool, where arenas of
     * their kind are pooled.
     *
     * @param slabs confined, and small enough for a slab
     * @param chunks confined, and larger: from chunks and pages
     * @param shared of all threads: from chunks and pages
     */
    record Served(long slabs, long chunks, long shared) {
        long all() {
            return slabs + chunks + shared;
        }
    }

    /** What pooling serves, if these kinds are pooled. */
    Served served(Pooled pooled) {
        long slabs = Verdict.small(confined);
        return new Served(
                pooled.confined() ? slabs : 0,
                pooled.confined() ? confined.closedCount() - confined.size(0) - slabs : 0,
                pooled.shared() ? shared.closedCount() - shared.size(0) : 0);
    }

    /** Whether a call site has this verdict. */
    boolean has(Verdict verdict) {
        for (Site site : sites) {
            if (site.verdict == verdict) {
                return true;
            }
        }
        return false;
    }

    /** How many arenas were closed that had allocated something. */
    long used() {
        return all.closedCount() - all.size(0);
    }

    /**
     * As text, for people.
     *
     * @param classes what became of the classes that open arenas
     * @param pooled which arenas are pooled now
     */
    public String text(Outcomes.Summary classes, Pooled pooled) {
        return CensusText.of(this, classes, pooled);
    }

    /**
     * As JSON, for programs.
     *
     * @param classes what became of the classes that open arenas
     * @param pooled which arenas are pooled now
     */
    public String json(Outcomes.Summary classes, Pooled pooled) {
        return CensusJson.of(this, classes, pooled);
    }
}
