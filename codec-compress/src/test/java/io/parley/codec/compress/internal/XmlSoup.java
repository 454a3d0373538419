package io.parley.codec.compress.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Random;

/** Random XML with all forms of its parts, and random sequences of the tokens of XML. */
final class XmlSoup {

    private static final String[] NAMES = {"a", "b", "ab", "ns:c", "\u4e2d", "d-e.f", "A"};
    private static final String[] TEXTS = {
        "text", " ", "\n  ", "a > b", "&amp;&#10;", "'\"", "]]>", "-->", "\u00e9\ud83d\ude00", "/", "=", "?>"
    };
    private static final String[] VALUES = {"", "1", "a b", ">", "/>", "</a>", "<!--", "&lt;", "\u00fc"};
    private static final String[] TOKENS = {
        "<a",
        "<b",
        "</a>",
        "</b>",
        "</a",
        "<a>",
        "<b>",
        "<a/>",
        ">",
        "/>",
        " ",
        "/",
        "=",
        "'",
        "\"",
        " b='1'",
        " a=\"2\"",
        " c=",
        "text",
        "<!--",
        "-->",
        "--",
        "<![CDATA[",
        "]]>",
        "]",
        "[",
        "<?",
        "?>",
        "?",
        "<!DOCTYPE",
        "<!ELEMENT a>",
        "<",
        "!",
        "\n",
        "\ufeff",
        "</",
        "<a b",
        "&lt;",
        "\u00e9"
    };
    private static final int MAX_DEPTH = 6;

    private final Random random;
    private final StringBuilder out = new StringBuilder();

    private XmlSoup(Random random) {
        this.random = random;
    }

    /** Returns a document with balanced elements. */
    static byte[] document(Random random) {
        XmlSoup soup = new XmlSoup(random);
        soup.addProlog();
        soup.addElement(0);
        soup.out.append(soup.oneOf("", "", "\n", "<!-- end -->", "</a>", " trailing <x>"));
        return soup.out.toString().getBytes(UTF_8);
    }

    /** Returns tokens in any order, often behind a start tag. */
    static byte[] tokens(Random random) {
        XmlSoup soup = new XmlSoup(random);
        boolean enclosed = random.nextBoolean();
        soup.out.append(enclosed ? "<r>" : "");
        for (int left = random.nextInt(8); left > 0; left--) {
            soup.out.append(soup.oneOf(TOKENS));
        }
        soup.out.append(enclosed ? "</r>" : "");
        return soup.out.toString().getBytes(UTF_8);
    }

    private void addProlog() {
        out.append(oneOf("", "", "\ufeff", "\n"));
        out.append(oneOf("", "<?xml version='1.0'?>", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"));
        out.append(oneOf("", "", "<!-- <a> -->", "<?p <a> ?>", "text"));
        out.append(oneOf(
                "",
                "",
                "<!DOCTYPE a>",
                "<!DOCTYPE a [<!ENTITY b '<c>'> <!-- ]> ' --> <?d ]> ?> ]>\n",
                "<!DOCTYPE a SYSTEM \"]>\">"));
    }

    private void addElement(int depth) {
        String name = oneOf(NAMES);
        out.append('<').append(name);
        for (int left = random.nextInt(4); left > 0; left--) {
            addAttribute();
        }
        boolean empty = random.nextInt(4) == 0;
        out.append(oneOf("", "", "", "", " ", "\n  ", " unusual", " b = 'c>'", " b=c"));
        if (empty) {
            out.append("/>");
            return;
        }
        out.append('>');
        for (int left = depth == MAX_DEPTH ? 0 : random.nextInt(5); left > 0; left--) {
            addContent(depth);
        }
        out.append("</")
                .append(name)
                .append(oneOf("", "", "", "", "", " ", "\r\n"))
                .append('>');
    }

    private void addAttribute() {
        char quote = random.nextBoolean() ? '"' : '\'';
        out.append(oneOf(" ", " ", " ", " ", " ", "  ", "\t"))
                .append(oneOf(NAMES))
                .append(oneOf("=", "=", "=", "=", "=", " ="))
                .append(quote)
                .append(oneOf(VALUES))
                .append(quote);
    }

    private void addContent(int depth) {
        switch (random.nextInt(6)) {
            case 0 -> out.append("<!--").append(oneOf("", " c ", "-", "<a>")).append("-->");
            case 1 ->
                out.append("<![CDATA[").append(oneOf("", "]", "<a>", "]]", "c")).append("]]>");
            case 2 -> out.append("<?").append(oneOf("", "p", "p ?", "p <a>")).append("?>");
            case 3 -> out.append(oneOf(TEXTS));
            default -> addElement(depth + 1);
        }
    }

    private String oneOf(String... choices) {
        return choices[random.nextInt(choices.length)];
    }
}
