package io.polder.agent.census;

import io.polder.agent.rewrite.CallSite;
import io.polder.agent.rewrite.Outcomes;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What a census counted.
 *
 * @param seconds how long it ran
 * @param sites call sites that opened an arena, the busiest first
 * @param confined sum of those of confined arenas
 * @param shared sum of those of shared arenas
 * @param all sum of both
 */
public record CensusResult(double seconds, List<Site> sites, Row confined, Row shared, Row all) {
    /**
     * A call site.
     *
     * @param site where
     * @param counts what
     * @param verdict whether pooling serves it
     */
    record Site(CallSite site, Row counts, Verdict verdict) {}

    static CensusResult of(Rows rows, SiteTable table, double seconds) {
        List<Site> sites = new ArrayList<>();
        Row confined = new Row(false);
        Row shared = new Row(false);
        for (int number = 0; number < table.count(); number++) {
            Row counts = rows.row(number);
            if (counts.openedCount() != 0 || counts.closedCount() != 0) {
                CallSite site = table.site(number);
                counts.addTo(site.confined() ? confined : shared);
                sites.add(new Site(site, counts, Verdict.of(site.confined(), counts)));
            }
        }
        sites.sort(
                Comparator.comparingLong((Site site) -> site.counts().openedCount())
                        .reversed()
                        .thenComparing(site -> site.site().toString()));
        Row all = new Row(false);
        confined.addTo(all);
        shared.addTo(all);
        return new CensusResult(seconds, List.copyOf(sites), confined, shared, all);
    }

    /** How many closed confined arenas with memory were small, and opened where pooling serves. */
    long served() {
        return sites.stream()
                .filter(site -> site.verdict() == Verdict.YES)
                .mapToLong(site -> Verdict.small(site.counts()))
                .sum();
    }

    /** How many arenas were closed that had allocated something. */
    long used() {
        return all.closedCount() - all.size(0);
    }

    /**
     * As text, for people.
     *
     * @param classes what became of the classes that open arenas
     */
    public String text(Outcomes.Summary classes) {
        return CensusText.of(this, classes);
    }

    /**
     * As JSON, for programs.
     *
     * @param classes what became of the classes that open arenas
     */
    public String json(Outcomes.Summary classes) {
        return CensusJson.of(this, classes);
    }
}
