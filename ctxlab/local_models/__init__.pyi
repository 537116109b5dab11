from ctxlab.local_models.local_model import LocalModel as LocalModel
from ctxlab.local_models.local_model import ModelFact as ModelFact
from ctxlab.local_models.read_local_model import local_model as local_model
