package io.parley.codec.compress;

import java.util.Random;

/** XML documents for tests. */
final class Documents {

    private static final String[] NAMES = {"name", "first", "last", "phone", "ns:item", "\u00fcber"};
    private static final String[] WORDS = {
        "Anthony", "Miller", "Cubical Farmer", "416-610-1056", "a &amp; b", "\u4e2d\u6587"
    };

    private static final String[] FIRST_NAMES = words(
            "James Mary Robert Patricia John Jennifer Michael Linda David"
                    + " Elizabeth William Barbara Richard Susan Joseph Jessica Thomas Sarah Charles Karen Lisa Daniel Nancy Matthew");
    private static final String[] LAST_NAMES = words(
            "Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez"
                    + " Martinez Hernandez Lopez Gonzalez Wilson Anderson Taylor Moore Jackson Martin Lee Perez Thompson White Harris"
                    + " Sanchez Clark Ramirez Lewis Robinson Walker Young Allen King Wright Scott Torres Nguyen Hill Flores Green");
    private static final String[] TITLES = {
        "Cubical Farmer", "Code Monkey", "Pixel Pusher", "Bean Counter", "Network Wizard", "Desk Jockey"
    };
    private static final String[] AREAS = words("902 506 709 416");

    private Documents() {}

    private static String[] words(String words) {
        return words.split(" ");
    }

    /** Returns a list of employees, the same for each number of records. */
    static String employees(int records) {
        Random random = new Random(records);
        StringBuilder document =
                new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<employees>\n");
        for (int i = 0; i < records; i++) {
            document.append("""
                     <employee id="%d">
                      <name>
                       <first>%s</first>
                       <last>%s</last>
                      </name>
                      <jobtitle>%s</jobtitle>
                      <phone>%s-%03d-%04d</phone>
                     </employee>
                    """.formatted(
                            100_000 + random.nextInt(900_000),
                            FIRST_NAMES[random.nextInt(FIRST_NAMES.length)],
                            LAST_NAMES[random.nextInt(LAST_NAMES.length)],
                            TITLES[random.nextInt(TITLES.length)],
                            AREAS[random.nextInt(AREAS.length)],
                            200 + random.nextInt(799),
                            random.nextInt(10_000)));
        }
        return document.append("</employees>\n").toString();
    }

    /** Returns a document of 200 bytes to 64 KiB in which names and words recur. */
    static String random(Random random) {
        return random(random, 40);
    }

    /** Returns such a document with 2 records or more. */
    static String random(Random random, int maxRecords) {
        StringBuilder document = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<records>\n");
        for (int records = 2 + random.nextInt(maxRecords - 1); records > 0; records--) {
            document.append(" <record id=\"").append(random.nextInt(1_000_000)).append("\">\n");
            for (int fields = 1 + random.nextInt(5); fields > 0; fields--) {
                appendField(document, random);
            }
            document.append(" </record>\n");
        }
        return document.append("</records>\n").toString();
    }

    private static void appendField(StringBuilder document, Random random) {
        String name = NAMES[random.nextInt(NAMES.length)];
        String word = WORDS[random.nextInt(WORDS.length)];
        switch (random.nextInt(8)) {
            case 0 -> document.append("  <").append(name).append("/>\n");
            case 1 ->
                document.append("  <")
                        .append(name)
                        .append(" value='")
                        .append(word)
                        .append("'/>\n");
            case 2 -> document.append("  <!-- ").append(word).append(" -->\n");
            case 3 ->
                document.append("  <")
                        .append(name)
                        .append("><![CDATA[")
                        .append(word)
                        .append("]]></")
                        .append(name)
                        .append(">\n");
            default ->
                document.append("  <")
                        .append(name)
                        .append('>')
                        .append(word)
                        .append("</")
                        .append(name)
                        .append(">\n");
        }
    }
}
