package io.polder.lab.evacuation;

import io.polder.lab.experiment.Metric;

import java.util.List;

/** What the evacuation experiment prints. */
final class EvacuationText {
    private EvacuationText() {}

    /** The whole text. */
    static String of(Results results, List<Metric> metrics, Effort effort, boolean quick) {
        return String.join(
                "\n",
                GateText.of(results.gates()),
                GateText.ofReads(results.reads()),
                TrafficText.of(results),
                TrafficText.ofExhaustion(results),
                ShiftText.of(results, effort.shift()),
                EvacuationGoals.of(metrics, quick));
    }
}
