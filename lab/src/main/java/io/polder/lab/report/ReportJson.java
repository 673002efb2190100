package io.polder.lab.report;

import io.polder.tools.result.Environment;
import io.polder.tools.result.Json;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The JSON of a run, for machines. Its keys are stable:
 *
 * <pre>{@code
 * {"lab": NAME, "seed": N, "environment": {...}, "busy": true|false, "warnings": [...],
 *  "metrics": [{"name": ..., "value": ..., "unit": ..., "better": "higher|lower",
 *               "quartiles": [LOWER, UPPER], "busy": true|false}],
 *  "goals": [{"what": ..., "target": ..., "measured": ..., "reached": true|false,
 *             "busy": true|false}]}
 * }</pre>
 *
 * <p>Quartiles are there where a metric is the median of a sample. Busy is what was measured beside
 * other programs, and the run as a whole if anything in it was.
 */
public final class ReportJson {
    private ReportJson() {}

    /**
     * Writes the JSON of one run.
     *
     * @param lab name on the command line
     * @param reports of the experiments that have ended
     */
    public static String of(
            String lab, long seed, Environment environment, Collection<Report> reports) {
        List<String> warnings = new ArrayList<>();
        List<Map<String, Object>> metrics = new ArrayList<>();
        List<Map<String, Object>> goals = new ArrayList<>();
        for (Report report : reports) {
            warnings.addAll(report.warnings());
            report.metrics().forEach(metric -> metrics.add(metric.toJson(report.busy())));
            report.section().goals().forEach(goal -> goals.add(goal.toJson(report.busy())));
        }
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("lab", lab);
        json.put("seed", seed);
        json.put("environment", environment.toJson());
        json.put("busy", reports.stream().anyMatch(Report::busy));
        json.put("warnings", warnings);
        json.put("metrics", metrics);
        json.put("goals", goals);
        return Json.write(json);
    }
}
