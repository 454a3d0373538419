package io.parley.codec.xml.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonRootName;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.MessageElement;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.w3c.dom.Element;
import tools.jackson.dataformat.xml.XmlMapper;
import tools.jackson.dataformat.xml.annotation.JacksonXmlElementWrapper;
import tools.jackson.dataformat.xml.annotation.JacksonXmlProperty;

/** Tests elements as objects that Jackson maps. */
final class XmlObjectsTest {
    record Weather(String place, double celsius) {}

    record Person(String first, String last) {}

    record Employee(@JacksonXmlProperty(isAttribute = true) String id, Person name, String jobtitle, String phone) {}

    @JsonRootName(value = "employees", namespace = "urn:staff")
    record Employees(
            @JacksonXmlElementWrapper(useWrapping = false) @JsonProperty("employee")
            List<Employee> employees) {}

    record FailingRecord(String name) {
        public String getPlace() {
            throw new IllegalStateException("no place");
        }
    }

    @JsonRootName(value = "a", namespace = "urn:1")
    record Qualified(
            @JacksonXmlProperty(isAttribute = true, namespace = "urn:2")
            String one,

            @JacksonXmlProperty(isAttribute = true, namespace = "urn:3")
            String two,

            @JacksonXmlProperty(isAttribute = true) String three,
            @JacksonXmlProperty(namespace = "urn:1") String four,
            @JacksonXmlProperty(namespace = "urn:2") String five,
            String six) {}

    record Tree(Tree inner) {}

    static final class NoConstructor {
        NoConstructor(int one, int two) {}
    }

    private final XmlObjects objects = XmlObjects.DEFAULTS;

    @ParameterizedTest
    @EnumSource
    void write_thenRead_returnsAnEqualObject(XmlForm form) {
        Weather weather = new Weather("Zürich <&> 世界 \uD83D\uDE80", -3.5);
        MessageElement element = objects.write("weather", form, weather);
        assertThat(element.name()).isEqualTo("weather");
        assertThat(element.type()).isEqualTo(form.type());
        assertThat(objects.read(element, Weather.class)).isEqualTo(weather);
        Employees employees = new Employees(List.of(
                new Employee("1", new Person("Ann", ""), "Farmer", "416"),
                new Employee("2", new Person("Bob", "Miller"), null, " ")));
        MessageElement staff = objects.write("staff", form, employees);
        assertThat(objects.read(staff, Employees.class)).isEqualTo(employees);
        assertThat(XmlDocuments.DEFAULTS.read(staff).getDocumentElement().getNamespaceURI())
                .isEqualTo("urn:staff");
    }

    @ParameterizedTest
    @EnumSource
    void write_manyNamespaces_declaresThem(XmlForm form) {
        Qualified object = new Qualified("1", "2", "3", "4", "5", "6");
        MessageElement element = objects.write("n", form, object);
        assertThat(objects.read(element, Qualified.class)).isEqualTo(object);
        Element root = XmlDocuments.DEFAULTS.read(element).getDocumentElement();
        assertThat(root.getNamespaceURI()).isEqualTo("urn:1");
        assertThat(root.getAttributeNS("urn:2", "one")).isEqualTo("1");
        assertThat(root.getAttributeNS("urn:3", "two")).isEqualTo("2");
        assertThat(root.getAttributeNS(null, "three")).isEqualTo("3");
        assertThat(root.getElementsByTagNameNS("urn:1", "four").getLength()).isOne();
        assertThat(root.getElementsByTagNameNS("urn:2", "five").getLength()).isOne();
        assertThat(root.getElementsByTagNameNS(null, "six").getLength()).isOne();
    }

    @ParameterizedTest
    @EnumSource
    void read_documentOfAnotherWriter_returnsTheObject(XmlForm form) {
        Employees employees = objects.read(Samples.element(form, Samples.employees(50)), Employees.class);
        assertThat(employees.employees()).hasSize(50);
        assertThat(employees.employees().get(0)).hasNoNullFieldsOrProperties();
        String commented =
                "<?pi?><!--c--><Weather><!--c--><place>Ba<![CDATA[s]]>el</place><celsius>1</celsius></Weather>";
        assertThat(objects.read(Samples.element(form, commented), Weather.class))
                .isEqualTo(new Weather("Basel", 1));
    }

    @ParameterizedTest
    @EnumSource
    void read_givenMapper_isUsed(XmlForm form) {
        XmlObjects withMapper =
                new XmlObjects(XmlStreams.DEFAULTS, XmlMapper.builder().build());
        MessageElement element = withMapper.write("n", form, new Weather("Basel", 1));
        assertThat(withMapper.read(element, Weather.class)).isEqualTo(new Weather("Basel", 1));
    }

    @ParameterizedTest
    @EnumSource
    void read_documentOfAnotherType_isPeerFault(XmlForm form) {
        MessageElement element = Samples.element(form, "<Weather><celsius>hot</celsius></Weather>");
        assertFails(ErrorCode.MALFORMED_MESSAGE, () -> objects.read(element, Weather.class));
    }

    @Test
    void read_malformedOrMalicious_isPeerFault() {
        for (String document : new String[] {
            "<Weather>",
            "<Weather/><Weather/>",
            "<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/hostname'>]><Weather><place>&e;</place></Weather>",
            "<Weather><place>x</Weather>",
            "no XML"
        }) {
            assertFails(ErrorCode.MALFORMED_MESSAGE, () -> objects.read(Samples.textElement(document), Weather.class));
        }
    }

    @ParameterizedTest
    @EnumSource
    void read_deepDocument_stopsAtTheLimit(XmlForm form) {
        String document = "<Tree>" + "<inner>".repeat(300) + "</inner>".repeat(300) + "</Tree>";
        assertFails(ErrorCode.LIMIT_EXCEEDED, () -> objects.read(Samples.element(form, document), Tree.class));
    }

    @ParameterizedTest
    @EnumSource
    void write_deepObject_isRejected(XmlForm form) {
        Tree tree = new Tree(null);
        for (int depth = 0; depth < 300; depth++) {
            tree = new Tree(tree);
        }
        Tree deep = tree;
        assertFails(ErrorCode.MESSAGE_TOO_LARGE, () -> objects.write("n", form, deep));
    }

    /** Three elements and two texts. */
    @ParameterizedTest
    @EnumSource
    void nodes_areLimited(XmlForm form) {
        Weather weather = new Weather("Basel", 21.5);
        MessageElement element = withMaxNodes(5).write("n", form, weather);
        assertThat(withMaxNodes(5).read(element, Weather.class)).isEqualTo(weather);
        assertFails(ErrorCode.LIMIT_EXCEEDED, () -> withMaxNodes(4).read(element, Weather.class));
        assertFails(ErrorCode.MESSAGE_TOO_LARGE, () -> withMaxNodes(4).write("n", form, weather));
    }

    private static XmlObjects withMaxNodes(long maxNodes) {
        XmlLimits limits = XmlLimits.DEFAULTS.toBuilder().maxNodes(maxNodes).build();
        return new XmlObjects(new XmlStreams(limits), new XmlMapper());
    }

    @Test
    void typesThatJacksonCannotMap_areCallerFaults() {
        MessageElement element = Samples.textElement("<a><b>1</b></a>");
        assertThatThrownBy(() -> objects.read(element, NoConstructor.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("NoConstructor");
        assertFails(ErrorCode.NOT_ENCODABLE, () -> objects.write("n", XmlForm.TEXT, new FailingRecord("x")));
    }

    private static void assertFails(ErrorCode code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ParleyException.class,
                        e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
    }
}
