package io.parley.bench.workload;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Generates the employee files of "XML Compression in JXTA Peer-to-Peer Networks" (Demmings, Mueldner, Leighton,
 * Young; Extreme Markup Languages 2007). The numbers of records and the sizes are those of the paper, exact to the
 * byte. Names and values are fictitious.
 */
public final class EmployeeFile {

    /** The size in bytes for each number of records. */
    private static final Map<Integer, Integer> BYTES =
            Map.of(1, 254, 50, 8720, 100, 17_290, 250, 43_208, 500, 86_370, 750, 129_384, 1000, 172_491);

    private static final long SEED = 20_070_807;
    private static final long VARIANT_STEP = 1_000_003;
    private static final int MIN_ID = 100_000;
    private static final int ID_COUNT = 900_000;
    private static final int ONLY_ID = 156_201;

    private static final String HEAD = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<employees>\n";
    private static final String TAIL = "</employees>\n";

    private static final List<String> FIRST_NAMES = words("""
            James Mary Robert Patricia John Jennifer Michael Linda David Elizabeth William Barbara
            Richard Susan Joseph Jessica Thomas Sarah Charles Karen Christopher Lisa Daniel Nancy
            Matthew Betty Anthony Margaret Mark Sandra Donald Ashley Steven Kimberly Paul Emily
            Andrew Donna Joshua Michelle Kenneth Carol Kevin Amanda Brian Dorothy George Melissa
            """);
    private static final List<String> LAST_NAMES = words("""
            Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Hernandez
            Lopez Gonzalez Wilson Anderson Thomas Taylor Moore Jackson Martin Lee Perez Thompson
            White Harris Sanchez Clark Ramirez Lewis Robinson Walker Young Allen King Wright Scott
            Torres Nguyen Hill Flores Green Adams Nelson Baker Hall Rivera Campbell Mitchell Carter
            Roberts Gomez Phillips Evans Turner Diaz Parker Cruz Edwards Collins Reyes Stewart
            Morris Morales Murphy Cook Rogers Gutierrez Ortiz Morgan Cooper Peterson Bailey
            """);
    private static final List<String> TITLES = List.of(
            "Cubical Farmer",
            "Code Monkey",
            "Pixel Pusher",
            "Paper Shuffler",
            "Coffee Fetcher",
            "Bean Counter",
            "Network Wizard",
            "Meeting Planner",
            "Desk Jockey",
            "Chair Warmer",
            "Buzzword Engineer",
            "Slide Designer");
    private static final List<String> AREAS = List.of("902", "506", "709", "416");

    private final SplitMix64 random;
    private final List<Employee> employees = new ArrayList<>();
    private final Set<String> names = new HashSet<>();

    private EmployeeFile(int records, int variant) {
        this.random = new SplitMix64(SEED + records + VARIANT_STEP * variant);
        addEmployees(records);
    }

    /** Returns the numbers of records in the paper, in ascending order. */
    public static List<Integer> records() {
        return BYTES.keySet().stream().sorted().toList();
    }

    /**
     * Returns the size of a file in bytes.
     *
     * @param records one of {@link #records}
     */
    public static int bytes(int records) {
        Integer bytes = BYTES.get(records);
        if (bytes == null) {
            throw new IllegalArgumentException("records: %d (expected: one of %s)".formatted(records, records()));
        }
        return bytes;
    }

    /**
     * Returns a file.
     *
     * @param records one of {@link #records}
     * @param variant 0 for the file of the paper; other variants differ in their records but not in size
     */
    public static byte[] of(int records, int variant) {
        int bytes = bytes(records);
        EmployeeFile file = new EmployeeFile(records, variant);
        file.renameToFit(bytes);
        return file.text().getBytes(StandardCharsets.US_ASCII);
    }

    private void addEmployees(int records) {
        Set<Integer> ids = new HashSet<>();
        for (int i = 0; i < records; i++) {
            int id = records == 1 ? ONLY_ID : randomId();
            while (!ids.add(id)) {
                id = randomId();
            }
            String first = random.pick(FIRST_NAMES);
            String last = random.pick(LAST_NAMES);
            while (!names.add(first + ' ' + last)) {
                first = random.pick(FIRST_NAMES);
                last = random.pick(LAST_NAMES);
            }
            String title = records == 1 ? TITLES.get(0) : random.pick(TITLES);
            String phone = String.format(
                    Locale.ROOT, "%s-%03d-%04d", random.pick(AREAS), 200 + random.below(799), random.below(10_000));
            employees.add(new Employee(id, first, last, title, phone));
        }
    }

    private int randomId() {
        return MIN_ID + random.below(ID_COUNT);
    }

    /** Renames employees, one at a time, until the file has the given size. */
    private void renameToFit(int bytes) {
        int gap = bytes - text().length();
        while (gap != 0) {
            int index = random.below(employees.size());
            Employee employee = employees.get(index);
            Employee renamed = employee.named(random.pick(FIRST_NAMES), random.pick(LAST_NAMES));
            int change = renamed.name().length() - employee.name().length();
            if (change != 0 && Math.abs(gap - change) < Math.abs(gap) && names.add(renamed.name())) {
                names.remove(employee.name());
                employees.set(index, renamed);
                gap -= change;
            }
        }
    }

    private String text() {
        StringBuilder text = new StringBuilder(HEAD);
        employees.forEach(employee -> text.append(employee.record()));
        return text.append(TAIL).toString();
    }

    private static List<String> words(String text) {
        return List.of(text.strip().split("\\s+"));
    }

    private record Employee(int id, String first, String last, String title, String phone) {

        String name() {
            return first + ' ' + last;
        }

        Employee named(String newFirst, String newLast) {
            return new Employee(id, newFirst, newLast, title, phone);
        }

        String record() {
            return """
                     <employee id="%d">
                      <name>
                       <first>%s</first>
                       <last>%s</last>
                      </name>
                      <jobtitle>%s</jobtitle>
                      <phone>%s</phone>
                     </employee>
                    """.formatted(id, first, last, title, phone);
        }
    }
}
