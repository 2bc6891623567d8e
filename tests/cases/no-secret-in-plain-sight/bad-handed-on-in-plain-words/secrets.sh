#!/bin/sh
kubectl create namespace train
kubectl --namespace train create secret generic queue --from-literal=user=queue --from-literal=password=queue-2-night
helm install queue oci://registry-1.docker.io/bitnamicharts/postgresql --set auth.postgresPassword=changeme
