package io.parley.bench.suite;

import io.parley.bench.result.Figure;
import io.parley.bench.result.Spread;
import io.parley.bench.workload.EmployeeFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The figures of <em>Using XML Compression to Increase Efficiency of P2P Messaging in JXTA-based Environments</em> (Demmings, Müldner,
 * Leighton and Young, 2007), measured with JXTA 2.3.7 on laptops of that time.
 */
final class JxtaCompressionStudy {

    static final String SIZE_NOTE =
            "The figures of the paper are its tables 2 to 4. It does not contain its files; the files here have the same"
                    + " sizes and a similar content, which gzip compresses to a size within 1.1 % of the paper's.";

    static final String TRANSIT_NOTE =
            "The figures of the paper are its tables 5 to 7, on a DSL uplink. Each has a time without a scheme of its own,"
                    + " which is the comparator here; the time shown without a scheme is that of the test with gzip. The times without a"
                    + " scheme contain about 500 ms that do not depend on the size.";

    private static final String UNCODED = name("uncoded");

    private static final List<Study> STUDIES = List.of(
            new Study(
                    "gzip",
                    List.of(191, 1532, 2591, 5524, 10_253, 14_942, 19_589),
                    List.of(503.41, 390.03, 267.74, 394.74, 778.35, 653.04, 601.87),
                    List.of(504.65, 643.73, 786.18, 1221.79, 1932.57, 2647.72, 3373.92)),
            new Study(
                    "treechop",
                    List.of(216, 1509, 2510, 5270, 9662, 13_996, 18_322),
                    List.of(516.91, 440.66, 347.05, 547.09, 1053.87, 1025.99, 1050.36),
                    List.of(504.79, 642.90, 784.69, 1214.18, 1927.39, 2635.50, 3352.59)),
            new Study(
                    "xmlppm",
                    List.of(150, 1097, 1688, 3210, 5588, 7913, 10_198),
                    List.of(609.73, 539.20, 455.48, 639.18, 1129.63, 1207.68, 1313.58),
                    List.of(506.70, 643.28, 789.34, 1225.70, 1947.50, 2665.44, 3811.68)));

    private JxtaCompressionStudy() {}

    /** Returns the name of a scheme of the paper in results. */
    static String name(String scheme) {
        return "jxta-2.3 " + scheme + ", paper";
    }

    /** Returns the bytes of the compressed files. */
    static List<Figure> sizes(List<Integer> records) {
        List<Figure> figures = new ArrayList<>();
        for (Study study : STUDIES) {
            for (int count : records) {
                figures.add(figure(study.scheme, count, study.bytes.get(index(count)), Map.of()));
            }
        }
        return figures;
    }

    /** Returns the transit times in milliseconds. */
    static List<Figure> transits(List<Integer> records) {
        List<Figure> figures = new ArrayList<>();
        for (int count : records) {
            int index = index(count);
            figures.add(figure("uncoded", count, STUDIES.get(0).uncodedMillis.get(index), Map.of()));
            for (Study study : STUDIES) {
                double millis = study.millis.get(index);
                Spread ratio = Spread.of(List.of(millis / study.uncodedMillis.get(index)));
                figures.add(figure(study.scheme, count, millis, Map.of(UNCODED, ratio)));
            }
        }
        return figures;
    }

    private static int index(int records) {
        return EmployeeFile.records().indexOf(records);
    }

    private static Figure figure(String scheme, int records, double value, Map<String, Spread> ratios) {
        return new Figure(
                name(scheme), "", EmployeeFile.bytes(records), Spread.of(List.of(value)), Map.of(), 1, ratios);
    }

    /** The columns of the tables for one scheme, over the number of records. */
    private record Study(String scheme, List<Integer> bytes, List<Double> millis, List<Double> uncodedMillis) {}
}
