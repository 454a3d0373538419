package io.parley.bench.suite;

import io.parley.bench.codec.CodecFormat;
import io.parley.bench.codec.EncodedSizes;
import io.parley.bench.document.EmployeeDocument;
import io.parley.bench.result.Experiment;
import io.parley.bench.result.Figure;
import io.parley.bench.result.Spread;
import io.parley.bench.workload.Workload;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/** Measures encoded sizes, which are the same on every machine. */
final class CodecSizes {

    private static final int WARM_UP = 100;
    private static final int MEASURED = 100;
    private static final List<CodecFormat> COMPARATORS = List.of(CodecFormat.XML, CodecFormat.BINARY);

    private CodecSizes() {}

    static Experiment ofMessages(String suite, List<String> compositions) {
        List<Figure> figures = new ArrayList<>();
        for (String name : compositions) {
            Map<CodecFormat, int[]> sizes = new LinkedHashMap<>();
            for (CodecFormat format : CodecFormat.writers()) {
                sizes.put(format, EncodedSizes.of(format, Workload.named(name), WARM_UP, MEASURED));
            }
            sizes.forEach((format, bytes) -> figures.add(figure(name, format, bytes, sizes)));
        }
        return experiment(
                suite,
                "codec-size",
                "Messages: size",
                "Encoded bytes of the second 100 of different messages: median and range. Ratios are calculated"
                        + " message by message. Fast Infoset uses one session per message (fresh), or one session for"
                        + " all messages, whose vocabulary contains the names of the first 100 (retained).",
                figures);
    }

    private static Figure figure(String composition, CodecFormat format, int[] bytes, Map<CodecFormat, int[]> all) {
        Map<String, Spread> ratios = new LinkedHashMap<>();
        for (CodecFormat comparator : COMPARATORS) {
            int[] comparatorBytes = all.get(comparator);
            if (comparator != format && comparatorBytes != null) {
                ratios.put(
                        comparator.label(),
                        spread(IntStream.range(0, bytes.length)
                                .mapToDouble(i -> (double) bytes[i] / comparatorBytes[i])));
            }
        }
        return new Figure(
                format.label(),
                composition,
                0,
                spread(IntStream.of(bytes).asDoubleStream()),
                Map.of(),
                bytes.length,
                ratios);
    }

    static Experiment ofDocuments(String suite, List<String> names) throws Exception {
        List<Figure> figures = new ArrayList<>();
        for (String name : names) {
            EmployeeDocument document = EmployeeDocument.named(name);
            figures.add(document("xml", name, document.xml()));
            figures.add(document("fastinfoset", name, document.fastInfoset()));
        }
        return experiment(
                suite,
                "document-size",
                "Documents: size",
                "Whole documents, encoded by the Fast Infoset library with its default settings.",
                RatioCalculator.of(figures, unused -> List.of("xml")));
    }

    private static Figure document(String form, String name, byte[] bytes) {
        return new Figure(form, name, 0, spread(DoubleStream.of(bytes.length)), Map.of(), 1, Map.of());
    }

    private static Spread spread(DoubleStream values) {
        return Spread.of(values.boxed().toList());
    }

    private static Experiment experiment(String suite, String id, String title, String method, List<Figure> figures) {
        return new Experiment(
                suite,
                id,
                title,
                method,
                "size",
                "B",
                Experiment.Better.LESS,
                Experiment.Chart.BARS_BY_FORM,
                List.copyOf(figures));
    }
}
