package io.parley.advertisement;

import java.util.List;
import java.util.Objects;

/**
 * The parameters of one service in a peer or group advertisement (JXTA's {@code Svc}).
 *
 * @param moduleClass the id of the module class of the service
 * @param parameters an element {@code Parm} that only the service interprets
 */
public record ServiceParameters(AdvertisementId moduleClass, XmlElement parameters) {
    static final String PARAMETERS = "Parm";
    private static final String SERVICE = "Svc";

    /** Renames the parameters to {@code Parm}. */
    public ServiceParameters {
        Objects.requireNonNull(moduleClass, "moduleClass");
        parameters = parameters.withName(PARAMETERS);
    }

    /** Returns the parameters of a service that consist of these elements. */
    public static ServiceParameters of(AdvertisementId moduleClass, XmlElement... parameters) {
        return new ServiceParameters(moduleClass, XmlElement.of(PARAMETERS, parameters));
    }

    /** Returns the parameters of all services in a document. */
    static List<ServiceParameters> readAll(XmlElement document) {
        return document.children(SERVICE).stream()
                .map(service -> new ServiceParameters(
                        service.requireId("MCID"),
                        service.child(PARAMETERS).orElseGet(() -> XmlElement.of(PARAMETERS))))
                .toList();
    }

    XmlElement document() {
        return XmlElement.builder(SERVICE)
                .add("MCID", moduleClass)
                .add(parameters)
                .build();
    }
}
