package io.polder.tools.scan;

import io.polder.tools.result.Environment;
import io.polder.tools.result.Json;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The JSON of a scan, for machines. Its keys are stable:
 *
 * <pre>{@code
 * {"scan": [PATH...], "kinds": [...], "environment": {...},
 *  "total": {"classes": N, "scanned": N, "arenas": {KIND: {"opened": N, FATE: N...}},
 *            "allocators": {KIND: N}, "allocations": {"all": N, KIND: N...},
 *            "reinterpret": N, "unsafe": N, "unsafe_object": N,
 *            "pooling_would_serve": N, "problems": N},
 *  "artifacts": [{"name": ..., "path": PATH, "total": {...},
 *    "uses": [{"kind": ..., "call": ..., "class": ..., "method": ..., "descriptor": ...,
 *              "source": ..., "line": N, "fate": ..., "way": ..., "allocator": ...}],
 *    "problems": [{"kind": ..., "where": ..., "what": ...}]}]}
 * }</pre>
 *
 * <p>A key of a use is left out where nothing is known or nothing can be.
 */
final class ScanJson {
    private ScanJson() {}

    /** Writes the JSON of a scan. */
    static String of(List<PathResult> paths, Set<UseKind> kinds, Environment environment) {
        List<ArtifactResult> all = new ArrayList<>();
        List<Map<String, Object>> artifacts = new ArrayList<>();
        for (PathResult path : paths) {
            for (ArtifactResult artifact : path.artifacts()) {
                all.add(artifact);
                artifacts.add(artifact(path.path(), artifact));
            }
        }
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("scan", paths.stream().map(PathResult::path).toList());
        json.put("kinds", kinds.stream().sorted().map(UseKind::label).toList());
        json.put("environment", environment.toJson());
        json.put("total", total(ArtifactResult.total(all)));
        json.put("artifacts", artifacts);
        return Json.write(json);
    }

    private static Map<String, Object> artifact(String path, ArtifactResult artifact) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", artifact.name());
        json.put("path", path);
        json.put("total", total(artifact));
        json.put("uses", artifact.uses().stream().map(ScanJson::use).toList());
        json.put("problems", artifact.problems());
        return json;
    }

    private static Map<String, Object> total(ArtifactResult result) {
        Map<String, Object> arenas = new LinkedHashMap<>();
        Map<String, Object> allocators = new LinkedHashMap<>();
        Map<String, Object> allocations = new LinkedHashMap<>();
        allocations.put("all", result.count(UseKind.ALLOCATE));
        for (UseKind kind : UseKind.ALLOCATORS) {
            if (UseKind.ARENAS.contains(kind)) {
                arenas.put(kind.label(), arenas(result, kind));
            } else {
                allocators.put(kind.label(), result.count(kind));
            }
            allocations.put(kind.label(), result.countFrom(kind));
        }
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("classes", result.classes());
        json.put("scanned", result.scanned());
        json.put("arenas", arenas);
        json.put("allocators", allocators);
        json.put("allocations", allocations);
        json.put("reinterpret", result.count(UseKind.REINTERPRET));
        json.put("unsafe", result.count(UseKind.UNSAFE));
        json.put("unsafe_object", result.count(UseKind.UNSAFE_OBJECT));
        json.put("pooling_would_serve", result.poolingWouldServe());
        json.put("problems", result.problems().size());
        return json;
    }

    private static Map<String, Object> arenas(ArtifactResult result, UseKind kind) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("opened", result.count(kind));
        if (UseKind.CLOSEABLE.contains(kind)) {
            for (Fate fate : Fate.values()) {
                json.put(fate.label(), result.count(kind, fate));
            }
        }
        return json;
    }

    private static Map<String, Object> use(Use use) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("kind", use.kind().label());
        json.put("call", use.call());
        json.put("class", use.place().className());
        json.put("method", use.place().method());
        json.put("descriptor", use.place().descriptor());
        if (!use.place().sourceFile().isEmpty()) {
            json.put("source", use.place().sourceFile());
        }
        if (use.place().line() > 0) {
            json.put("line", use.place().line());
        }
        Verdict verdict = use.verdict();
        if (verdict != null) {
            json.put("fate", verdict.fate().label());
            Way way = verdict.way();
            if (way != null) {
                json.put("way", way.label());
            }
        }
        UseKind allocator = use.allocator();
        if (allocator != null) {
            json.put("allocator", allocator.label());
        }
        return json;
    }
}
